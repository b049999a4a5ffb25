// The address keeps the words, the order and the language, so that a search can be linked.
const given = new URLSearchParams(location.search);
const root = document.documentElement;
const links = document.querySelectorAll("a[data-set]");
const standard = { sort: "", language: root.lang };

if ([...links].some((a) => a.dataset.set === "language" && a.dataset.value === given.get("language")))
  root.lang = given.get("language");

const ui = new PagefindUI({
  element: "#search",
  showSubResults: true,
  showImages: false,
  autofocus: true,
  pageSize: 10,
  resetStyles: false,
  sort: given.get("sort") === "date" ? { date: "desc" } : undefined,
});

function update() {
  for (const a of links) {
    const target = new URLSearchParams(given);
    const { set, value } = a.dataset;
    if (value === standard[set]) target.delete(set);
    else target.set(set, value);
    a.href = `?${target}`;
    if (value === (given.get(set) ?? standard[set])) a.setAttribute("aria-current", "true");
  }
}

const input = document.querySelector("#search input");
input?.setAttribute("aria-label", input.title || input.placeholder);
input?.addEventListener("input", () => {
  if (input.value) given.set("q", input.value);
  else given.delete("q");
  history.replaceState(null, "", `?${given}`);
  update();
});
if (given.get("q")) ui.triggerSearch(given.get("q"));
update();
