// The search worker. For plain words, it lists guides before types and also returns entries that match
// only some of the words. It sends queries to two instances of Zensical's worker, which is specified in
// its own URL: one searches all entries of the index, and the other only the entries of guides.
"use strict";

const GUIDE = /(^|\/)guides\//;
const PLAIN = /^[A-Za-z]?[a-z]+$/; // not `toolCallId`, `session/new` or `connect_stdio`
const MOST_WORDS = 6; // up to this number of words, all combinations are tried
const INDEX = 0, QUERY = 2; // message types
const FIELDS = 4; // a match's id is its entry's id times this number, plus its field

const start = () => {
    const worker = new Worker(new URL(self.location.search.slice(1), self.location));
    let last = Promise.resolve();
    return message => last = last.then(() => new Promise(resolve => {
        worker.onmessage = ({data: answer}) => resolve(answer);
        worker.postMessage(message);
    }));
};

const askAll = start(), askGuides = start();
let entries = [], guides = [], separator = / /;

const setUp = message => {
    entries = message.data.items;
    guides = [...entries.keys()].filter(id => GUIDE.test(entries[id].location));
    separator = new RegExp(message.data.config.separator);
    const items = guides.map(id => entries[id]);
    askGuides({...message, data: {...message.data, items}});
    return askAll(message);
};

const unique = items => [...new Map(items.map(item => [item.id, item])).values()];

// A guide's entry with its ids in the complete index.
const numbered = ({id, matches, ...rest}) => ({
    ...rest,
    id: guides[id],
    matches: matches?.map(match => ({...match, id: match.id + FIELDS * (guides[id] - id)})),
});

const isNamed = (item, text) =>
    entries[item.id].title.replace(/<[^>]*>/g, "").trim().toLowerCase() === text.toLowerCase();

// The entries that contain all words: first entries whose title is the text, then guides, then the rest.
const find = async (message, text, isPlain) => {
    const asked = {...message, data: {...message.data, input: text}};
    const {data: {items}} = await askAll(asked);
    if (!isPlain) return items;
    const {data: {items: found}} = await askGuides(asked);
    const named = items.filter(item => isNamed(item, text));
    return unique([...named, ...found.map(numbered), ...items]);
};

const subsets = (words, size) => size === 0 ? [[]] : words.flatMap(
    (word, at) => subsets(words.slice(at + 1), size - 1).map(rest => [word, ...rest]));

// The entries that contain most of the words, starting with those found for several subsets.
const findSome = async (message, words, isPlain) => {
    for (let size = words.length - 1; size > 0; size--) {
        const found = [];
        for (const chosen of subsets(words, size)) {
            found.push(...await find(message, chosen.join(" "), isPlain));
        }
        const count = new Map();
        for (const {id} of found) count.set(id, (count.get(id) ?? 0) + 1);
        const rank = ({id}) => count.get(id) + (isPlain && GUIDE.test(entries[id].location) ? .5 : 0);
        if (found.length) return unique(found).sort((one, other) => rank(other) - rank(one));
    }
    return [];
};

const answer = async message => {
    const input = message.data.input.trim();
    const words = input.split(separator).filter(Boolean);
    const isPlain = words.length > 0 && words.every(word => PLAIN.test(word));
    const reply = await askAll(message);
    let items = isPlain ? await find(message, input, true) : reply.data.items;
    if (!items.length) items = await findSome(message, words.slice(0, MOST_WORDS), isPlain);
    return {...reply, data: {...reply.data, items}};
};

let last = Promise.resolve();
self.onmessage = ({data: message}) => {
    const work = {[INDEX]: setUp, [QUERY]: answer}[message.type] ?? askAll;
    last = last.then(async () => self.postMessage(await work(message)));
};
