"use strict";
// Every text of a crawl is hostile input: it becomes a text node, never markup.
(() => {
  const PER_PAGE = 50, SHOWN = 3;
  const words = new Intl.NumberFormat("en");
  const make = (name, options = {}, ...children) => {
    const node = Object.assign(document.createElement(name), options);
    node.append(...children);
    return node;
  };
  const unpack = async (id) => {
    const text = atob(document.getElementById(id).textContent);
    const bytes = Uint8Array.from(text, (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const isUrl = (value) => /^https?:\/\//.test(value);
  const link = (value) => make("a", { href: value, rel: "noreferrer nofollow", textContent: value });
  const leaf = (value) => (typeof value === "string" && isUrl(value) ? link(value) : String(value));

  const many = (values) => {
    const list = make("ul");
    const add = (some) => list.append(...some.map((each) => make("li", {}, leaf(each))));
    add(values.slice(0, SHOWN));
    if (values.length > SHOWN) {
      const more = make("button", { type: "button", textContent: `${words.format(values.length - SHOWN)} more` });
      more.addEventListener("click", () => { more.parentElement.remove(); add(values.slice(SHOWN)); });
      list.append(make("li", {}, more));
    }
    return list;
  };

  class List {
    constructor(section) {
      this.section = section;
      this.table = section.querySelector("table");
      this.heads = [...this.table.tHead.rows[0].cells];
      this.kinds = this.heads.map((each) => each.dataset.kind);
      this.page = 0;
      this.sorted = { column: -1, down: false };
      this.ready = null;
      this.build();
    }

    build() {
      const title = this.section.querySelector("h2").firstChild.textContent;
      this.filter = make("input", { type: "search", placeholder: "Filter", ariaLabel: `Filter ${title}` });
      let timer = 0;
      this.filter.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.change(() => { this.page = 0; }), 150);
      });
      const save = (label, name, type, text) => {
        const button = make("button", { type: "button", textContent: label, ariaLabel: `Save ${title} as ${label}` });
        button.addEventListener("click", async () => {
          await this.load();
          const url = URL.createObjectURL(new Blob([text()], { type }));
          make("a", { href: url, download: `${this.section.id}.${name}` }).click();
          setTimeout(() => URL.revokeObjectURL(url), 10000);
        });
        return button;
      };
      this.section.querySelector(".table").before(make("div", { className: "tools" }, this.filter,
        save("CSV", "csv", "text/csv", () => this.csv()), save("JSON", "json", "application/json", () => this.json())));
      this.foot = make("div", { className: "tools pages" });
      this.back = make("button", { type: "button", textContent: "Previous" });
      this.next = make("button", { type: "button", textContent: "Next" });
      this.where = make("span", { className: "foot", role: "status" });
      this.back.addEventListener("click", () => this.change(() => { this.page -= 1; }));
      this.next.addEventListener("click", () => this.change(() => { this.page += 1; }));
      this.foot.append(this.back, this.next, this.where);
      this.section.querySelector(".foot")?.remove();
      this.section.append(this.foot);
      this.heads.forEach((head, column) => {
        const button = make("button", { type: "button", textContent: head.textContent });
        button.addEventListener("click", () => this.change(() => {
          const down = this.sorted.column === column ? !this.sorted.down : this.kinds[column] === "n";
          this.sorted = { column, down };
          this.page = 0;
          this.order = null;
        }));
        head.replaceChildren(button);
      });
      this.total = Number(this.section.dataset.rows);
      this.filter.hidden = this.total <= this.table.tBodies[0].rows.length;
      this.describe(Math.min(this.table.tBodies[0].rows.length, this.total), this.total);
    }

    load() {
      this.ready ??= unpack(`data-${this.section.id}`).then((columns) => {
        this.columns = columns;
        this.count = columns[0].length;
      });
      return this.ready;
    }

    async change(apply) {
      apply();
      this.table.ariaBusy = "true";
      await this.load();
      this.show();
      this.table.ariaBusy = "false";
    }

    matching() {
      const wanted = this.filter.value.toLowerCase();
      if (this.found && this.wanted === wanted && this.order) return this.found;
      const { column, down } = this.sorted;
      if (!this.order) {
        this.order = Array.from({ length: this.count }, (_, row) => row);
        if (column >= 0) {
          const values = this.columns[column].map((each) => (Array.isArray(each) ? each.join(" ") : each));
          const sign = down ? -1 : 1;
          this.order.sort((a, b) => {
            const x = values[a], y = values[b];
            if (x === y) return a - b;
            if (x === null) return 1;
            if (y === null) return -1;
            return (x < y ? -1 : 1) * sign;
          });
        }
      }
      this.wanted = wanted;
      if (!wanted) return (this.found = this.order);
      this.texts ??= this.columns.map((column) => column.map((each) => (each === null ? "" : String(each).toLowerCase())));
      return (this.found = this.order.filter((row) => this.texts.some((texts) => texts[row].includes(wanted))));
    }

    show() {
      const found = this.matching();
      const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
      this.page = Math.min(Math.max(this.page, 0), pages - 1);
      const from = this.page * PER_PAGE;
      const rows = found.slice(from, from + PER_PAGE).map((row) => make("tr", {}, ...this.columns.map((values, column) => this.cell(values[row], column))));
      this.table.tBodies[0].replaceChildren(...rows);
      this.heads.forEach((head, column) => {
        if (column === this.sorted.column) head.ariaSort = this.sorted.down ? "descending" : "ascending";
        else head.removeAttribute("aria-sort");
      });
      this.describe(rows.length, found.length, from);
    }

    cell(value, column) {
      const kind = this.kinds[column];
      const cell = make("td", { className: kind });
      if (value === null) return cell;
      if (Array.isArray(value)) cell.append(many(value));
      else if (typeof value === "number") cell.textContent = words.format(value);
      else cell.append(leaf(value));
      return cell;
    }

    describe(shown, found, from = 0) {
      this.back.disabled = this.page <= 0;
      this.next.disabled = from + shown >= found;
      const all = found === this.total ? "" : ` of ${words.format(this.total)} in all`;
      this.where.textContent = found ? `${words.format(from + 1)}–${words.format(from + shown)} of ${words.format(found)}${all}` : "Nothing matches.";
      if (this.total <= shown && found === this.total) this.foot.hidden = true;
      else this.foot.hidden = false;
    }

    names() { return this.heads.map((head) => head.dataset.name); }

    csv() {
      const quote = (value) => {
        let text = value === null ? "" : Array.isArray(value) ? value.join(" ") : String(value);
        if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
        return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      };
      const lines = this.matching().map((row) => this.columns.map((column) => quote(column[row])).join(","));
      return [this.names().join(","), ...lines, ""].join("\r\n");
    }

    json() {
      const names = this.names();
      return JSON.stringify(this.matching().map((row) => Object.fromEntries(names.map((name, column) => [name, this.columns[column][row]]))), null, 1);
    }
  }

  for (const section of document.querySelectorAll("section[data-rows]")) {
    if (Number(section.dataset.rows)) new List(section);
  }
})();
