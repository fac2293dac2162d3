// The filter in the types menu. It lists the types of all groups whose names contain the typed words
// in any order.

const read = async (address) => {
  const text = await (await fetch(address)).text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const types = [...page.querySelectorAll("td:first-child a")].map((link) => ({
    name: link.textContent,
    address: new URL(link.getAttribute("href"), new URL(address, location)),
  }));
  return types.sort((one, other) => one.name.localeCompare(other.name));
};

const entry = ({ name, address }) => {
  const item = document.createElement("li");
  const link = document.createElement("a");
  item.className = "md-nav__item";
  link.className = "md-nav__link";
  link.href = address;
  // Long names wrap at the start of a word.
  link.append(...name.split(/(?<=[a-z0-9])(?=[A-Z])/).flatMap((word) => [word, document.createElement("wbr")]));
  item.append(link);
  return item;
};

for (const input of document.querySelectorAll(".acp-filter input")) {
  const item = input.parentElement;
  const menu = item.parentElement;
  const matches = document.createElement("ul");
  matches.className = "md-nav__list";
  matches.setAttribute("aria-live", "polite");
  item.append(matches);
  // A page that is opened as a file cannot read other files.
  item.hidden = location.protocol === "file:";
  let types;
  input.addEventListener("input", async () => {
    types ??= read(input.dataset.types);
    const all = await types;
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const start = ({ name }, word) => name.toLowerCase().indexOf(word);
    const found = all.filter((type) => words.every((word) => start(type, word) >= 0));
    if (words.length) found.sort((one, other) => start(one, words[0]) - start(other, words[0]));
    menu.classList.toggle("acp-filtered", words.length > 0);
    matches.replaceChildren(...(words.length ? found.map(entry) : []));
    if (words.length && !found.length) matches.textContent = "No matching types.";
  });
}
