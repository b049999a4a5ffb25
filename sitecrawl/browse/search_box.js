// <site-search src="https://find.example.org/search.json"> or <site-search pagefind="/pagefind/">:
// results as one types. No framework, no inline style: a strict Content-Security-Policy permits it.
const TEXTS = {
  en: ["Search", "Type / to search", "Results: %n", "No page has these words.", "Try:", "Search failed."],
  de: ["Suche", "Mit / suchen", "Treffer: %n", "Keine Seite hat diese Wörter.", "Vielleicht:", "Die Suche schlug fehl."],
  fr: ["Rechercher", "/ pour rechercher", "Résultats : %n", "Aucune page n’a ces mots.", "Essayez :", "La recherche a échoué."],
  es: ["Buscar", "/ para buscar", "Resultados: %n", "Ninguna página tiene estas palabras.", "Pruebe:", "La búsqueda falló."],
  ru: ["Поиск", "/ — поиск", "Найдено: %n", "Нет страниц с этими словами.", "Попробуйте:", "Ошибка поиска."],
  ja: ["検索", "/ で検索", "%n 件", "該当するページはありません。", "候補：", "検索できませんでした。"],
  zh: ["搜索", "按 / 搜索", "%n 个结果", "没有包含这些词的页面。", "试试：", "搜索失败。"],
};
const STYLE = `
:host { --b: light-dark(#fff, #16191d); --t: light-dark(#1b1e23, #e4e7eb); --q: light-dark(#5a616b, #a2aab5);
  --l: light-dark(#868e99, #7b8490); --a: var(--search-accent, light-dark(#1a56b8, #8ab4f8));
  --m: light-dark(#fff0b3, #5c4a00); --n: light-dark(#1b1e23, #fff3c9); --s: light-dark(#e8effa, #263347);
  color-scheme: light dark; display: block; position: relative; max-width: 40rem; color: var(--t);
  font: 1rem/1.45 system-ui, sans-serif; text-align: start; }
* { box-sizing: border-box; }
input { width: 100%; font: inherit; color: inherit; background: var(--b); border: 1px solid var(--l);
  border-radius: 8px; padding: .6rem .8rem; }
input::placeholder { color: var(--q); opacity: 1; }
input:focus-visible { outline: 3px solid var(--a); outline-offset: 1px; }
[part=panel] { position: absolute; z-index: 1000; inset-inline: 0; top: calc(100% + .35rem); background: var(--b);
  border: 1px solid var(--l); border-radius: 10px; box-shadow: 0 8px 30px #0004; padding: .4rem;
  overflow-wrap: anywhere; }
[role=listbox] { max-height: min(70vh, 34rem); overflow-y: auto; }
[part=panel][hidden] { display: none; }
[role=group] > [role=presentation] { font-weight: 650; padding: .5rem .6rem .1rem; }
a { display: block; color: inherit; text-decoration: none; padding: .4rem .6rem; border-radius: 7px;
  border-inline-start: 3px solid transparent; }
a[aria-selected=true], a:hover { background: var(--s); border-color: var(--a); }
a b { font-weight: 550; color: var(--a); }
a.page b { font-weight: 650; color: inherit; }
a b, a span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
a span { font-size: .875rem; }
small { color: var(--q); font-size: .8125rem; }
mark { background: var(--m); color: var(--n); border-radius: 2px; }
[role=status] { color: var(--q); font-size: .8125rem; padding: .2rem .6rem; }
button { font: inherit; color: var(--a); background: none; border: 0; padding: .2rem .4rem; cursor: pointer;
  text-decoration: underline; }
@media (max-width: 30rem) { [part=panel] { position: fixed; inset-inline: .5rem; top: auto; margin-top: .35rem; } [role=listbox] { max-height: 55vh; } }
`;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}

// Positions count code points, as Python does.
function marked(text, marks) {
  const signs = [...text], parts = [];
  let end = 0;
  for (const [start, stop] of marks) {
    parts.push(signs.slice(end, start).join(""), element("mark", {}, signs.slice(start, stop).join("")));
    end = stop;
  }
  return [...parts, signs.slice(end).join("")];
}

// Pagefind's excerpts are escaped HTML with <mark>; only that tag is read, never as HTML.
function markedExcerpt(excerpt) {
  const plain = new DOMParser().parseFromString(excerpt, "text/html").body;
  return [...plain.childNodes].map((node) =>
    node.nodeName === "MARK" ? element("mark", {}, node.textContent) : node.textContent);
}

class SiteSearch extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    this.language = (this.closest("[lang]")?.lang || navigator.language || "en").slice(0, 2).toLowerCase();
    this.texts = TEXTS[this.language] || TEXTS.en;
    if (!this.role) [this.role, this.ariaLabel] = ["search", this.texts[0]];
    const root = this.attachShadow({ mode: "open" }), sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.input = element("input", {
      type: "search", role: "combobox", "aria-label": this.texts[0], placeholder: this.texts[1], autocomplete: "off",
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "list", maxlength: "500", spellcheck: "false",
    });
    this.status = element("div", { role: "status" });
    this.list = element("div", { role: "listbox", id: "list", "aria-label": this.texts[0] });
    this.panel = element("div", { part: "panel", hidden: "" }, this.status, this.list);
    root.append(this.input, this.panel);
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.search(), 120);
    });
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("focus", () => this.show(this.status.textContent !== ""));
    this.addEventListener("focusout", (event) => this.contains(event.relatedTarget) || this.show(false));
    document.addEventListener("keydown", (event) => {
      const typing = event.composedPath()[0]?.matches?.("input, textarea, select, [contenteditable]");
      const asked = (event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey));
      if (asked) { event.preventDefault(); this.input.focus(); }
    });
  }

  show(open) {
    this.panel.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open && this.options.length > 0));
    if (!open) this.input.removeAttribute("aria-activedescendant");
  }

  get options() { return [...this.list.querySelectorAll("a")]; }

  key(event) {
    const options = this.options, at = options.findIndex((each) => each.ariaSelected === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) {
      event.preventDefault();
      this.show(true);
      this.select(options[(at + step + options.length + (at < 0 && step < 0 ? 1 : 0)) % options.length]);
    } else if (event.key === "Enter" && options.length) {
      event.preventDefault();
      (options[at] || options[0]).click();
    } else if (event.key === "Escape" && !this.panel.hidden) {
      event.preventDefault();
      this.show(false);
    }
  }

  select(option) {
    for (const each of this.options) each.ariaSelected = String(each === option);
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  async search() {
    const words = this.input.value.trim();
    this.asked?.abort();
    this.asked = new AbortController();
    const signal = this.asked.signal;
    if (!words) { this.status.textContent = ""; this.list.replaceChildren(); return this.show(false); }
    try {
      const found = await (this.getAttribute("pagefind") ? this.bundle(words) : this.server(words, signal));
      if (!signal.aborted) this.draw(found);
    } catch (error) {
      if (!signal.aborted) this.draw({ total: 0, pages: [], failed: error });
    }
  }

  async server(words, signal) {
    const url = new URL(this.getAttribute("src") || "/search.json", location.href);
    for (const name of ["site", "under", "language"])
      if (this.getAttribute(name)) url.searchParams.set(name, this.getAttribute(name));
    url.searchParams.set("q", words);
    url.searchParams.set("reader", this.language);
    const reply = await fetch(url, { signal, credentials: "omit" });
    if (!reply.ok) throw new Error(reply.status);
    const { total, hits, suggestions, correction, counts } = await reply.json();
    const several = Object.keys(counts.site || {}).length > 1;
    const pages = hits.map((hit) => ({
      title: hit.title, note: several ? hit.site : "", sections: hit.sections.map((each) => ({
        url: each.target, title: each.section, text: marked(each.snippet, each.marks) })) }));
    return { total, pages, suggestions, correction };
  }

  async bundle(words) {
    const folder = new URL(this.getAttribute("pagefind"), location.href);
    this.pagefind ??= await import(new URL("pagefind.js", folder));
    const { results } = await this.pagefind.search(words);
    const found = await Promise.all(results.slice(0, 8).map((each) => each.data()));
    const pages = found.map((page) => ({
      title: page.meta.title, note: "", sections: page.sub_results
        .sort((one, other) => other.locations.length - one.locations.length).slice(0, 3).map((each) => ({
        url: each.url, title: each.title === page.meta.title ? "" : each.title, text: markedExcerpt(each.excerpt) })) }));
    return { total: results.length, pages };
  }

  draw({ total, pages, suggestions = [], correction, failed }) {
    const [, , counted, none, instead, broken] = this.texts;
    let number = 0;
    this.input.removeAttribute("aria-activedescendant");
    const option = ({ url, title, text }, page, note) => {
      const link = element("a", { role: "option", id: `option-${number++}`, tabindex: "-1", "aria-selected": "false",
        class: title ? "section" : "page" },
        element("b", {}, title || page, " ", element("small", {}, title ? "" : note)), element("span", {}, ...text));
      if (/^https?:/.test(new URL(url, location.href).protocol)) link.href = url;
      return link;
    };
    this.list.replaceChildren(...pages.map(({ title, note, sections }) =>
      element("div", { role: "group", "aria-label": title },
        ...(sections[0]?.title ? [element("div", { role: "presentation" }, title, " ", element("small", {}, note))] : []),
        ...sections.map((each) => option(each, title, note)))));
    const said = failed ? broken : total ? counted.replace("%n", total) : none;
    this.status.replaceChildren(correction ? `${said} – ${correction}` : said);
    if (suggestions.length && !total) {
      this.status.append(` ${instead} `, ...suggestions.map((word) => {
        const button = element("button", { type: "button" }, word);
        button.addEventListener("click", () => { this.input.value = word; this.input.focus(); this.search(); });
        return button;
      }));
    }
    this.show(true);
  }
}

customElements.define("site-search", SiteSearch);
