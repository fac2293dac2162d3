// The filter in the menu of types: lists the types of all groups whose names have what is typed.

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
  // Long names wrap where a word begins.
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
  // A page that is opened as a file cannot read another.
  item.hidden = location.protocol === "file:";
  let types;
  input.addEventListener("input", async () => {
    types ??= read(input.dataset.types);
    const all = await types;
    const typed = input.value.trim().toLowerCase();
    const start = ({ name }) => name.toLowerCase().indexOf(typed);
    const found = all.filter((type) => start(type) >= 0).sort((one, other) => start(one) - start(other));
    menu.classList.toggle("acp-filtered", typed !== "");
    matches.replaceChildren(...(typed ? found.map(entry) : []));
    if (typed && !found.length) matches.textContent = "No type has this in its name.";
  });
}
