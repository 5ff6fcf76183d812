"use strict";
// Search that works from a disk: the index is a script beside this one, and nothing is asked of a network.
(() => {
  const base = new URL("..", document.currentScript.src).href;
  const MOST = 12;

  const found = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const scored = [];
    for (const section of window.searchSections || []) {
      const title = section.title.toLowerCase();
      const all = `${title} ${section.page.toLowerCase()} ${section.text.toLowerCase()}`;
      if (!words.every((word) => all.includes(word))) continue;
      const score = words.reduce((sum, word) => sum + (title.includes(word) ? 10 : 0) + (title.startsWith(word) ? 5 : 0), 0);
      scored.push([score, section]);
    }
    return scored.sort((a, b) => b[0] - a[0]).slice(0, MOST).map((entry) => entry[1]);
  };

  const excerpt = (section, query) => {
    const word = query.toLowerCase().split(/\s+/).find((one) => section.text.toLowerCase().includes(one)) || "";
    const from = Math.max(0, section.text.toLowerCase().indexOf(word) - 40);
    return `${from ? "…" : ""}${section.text.slice(from, from + 140)}`;
  };

  const build = () => {
    const header = document.querySelector(".md-header__inner");
    if (!header || document.getElementById("own-search")) return;
    const box = document.createElement("div");
    box.className = "own-search";
    const input = document.createElement("input");
    Object.assign(input, { id: "own-search", type: "search", placeholder: "Search", autocomplete: "off" });
    input.setAttribute("aria-label", "Search");
    const list = document.createElement("ul");
    list.hidden = true;
    list.setAttribute("aria-label", "Search results");
    const show = () => {
      const query = input.value.trim();
      const sections = found(query);
      list.replaceChildren(...sections.map((section) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = new URL(section.place, base).href;
        const title = document.createElement("b");
        title.textContent = section.title === section.page ? section.title : `${section.page} › ${section.title}`;
        const text = document.createElement("span");
        text.textContent = excerpt(section, query);
        link.append(title, text);
        item.append(link);
        return item;
      }));
      if (query && !sections.length) {
        const item = document.createElement("li");
        item.textContent = "Nothing found";
        list.append(item);
      }
      list.hidden = !query;
    };
    input.addEventListener("input", show);
    box.addEventListener("keydown", (event) => {
      const links = [...list.querySelectorAll("a")];
      const at = links.indexOf(document.activeElement);
      if (event.key === "Escape") {
        list.hidden = true;
        input.focus();
      } else if (event.key === "ArrowDown" && links.length) {
        event.preventDefault();
        links[Math.min(at + 1, links.length - 1)].focus();
      } else if (event.key === "ArrowUp" && links.length) {
        event.preventDefault();
        (at > 0 ? links[at - 1] : input).focus();
      }
    });
    document.addEventListener("click", (event) => { if (!box.contains(event.target)) list.hidden = true; });
    box.append(input, list);
    header.append(box);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", build);
  else build();
})();
