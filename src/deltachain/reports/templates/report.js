"use strict";
// Moves texts and pictures; every number was made, and rounded, before.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const BAR = 138;

  const readOff = () => {
    const slider = at("slider");
    const cursors = ["curve", "curve-log"].map((name) => {
      const line = document.createElementNS(SVG, "path");
      line.setAttribute("class", "cursor");
      const dots = ["upper", "lower"].map(() => document.createElementNS(SVG, "circle"));
      for (const dot of dots) {
        dot.setAttribute("class", "cursor-dot");
        dot.setAttribute("r", "4.5");
      }
      at(name).append(line, ...dots);
      return { line, dots };
    });
    const show = () => {
      const point = data.points[Number(slider.value)];
      at("slider-epsilon").textContent = point.epsilon;
      at("slider-delta").textContent = point.text;
      at("slider-exact").textContent = point.exact;
      slider.setAttribute("aria-valuetext", `ε = ${point.epsilon}, ${point.text}`);
      point.at.forEach(([x, ...heights], i) => {
        cursors[i].line.setAttribute("d", `M${x},16 V274`);
        cursors[i].dots.forEach((dot, side) => {
          dot.setAttribute("cx", x);
          dot.setAttribute("cy", heights[side]);
        });
      });
    };
    at("axis-box").hidden = false;
    at("axis").addEventListener("click", () => {
      const chosen = at("logarithmic").hidden;
      at("axis").setAttribute("aria-pressed", String(chosen));
      at("logarithmic").hidden = !chosen;
      at("curve").classList.toggle("away", chosen);
    });
    slider.max = String(data.points.length - 1);
    slider.value = String(data.begin);
    slider.addEventListener("input", show);
    at("slider-box").hidden = false;
    show();
  };

  const stepThrough = () => {
    const chooser = at("word");
    let step = 0;
    data.words.forEach((word, i) => chooser.add(new Option(word.name, String(i))));
    const draw = (now) => {
      for (const box of document.querySelectorAll("#chain .box, #beliefs .box")) {
        box.classList.remove("here");
        for (const bar of box.querySelectorAll(".bar-s, .bar-t")) bar.setAttribute("width", "0");
      }
      for (const [number, first, second] of now.bars) {
        const box = at(`chain-${number}`);
        box.classList.add("here");
        box.querySelector(".bar-s").setAttribute("width", String(BAR * first));
        box.querySelector(".bar-t").setAttribute("width", String(BAR * second));
      }
      if (now.box !== null) at(`beliefs-${now.box}`).classList.add("here");
    };
    const show = () => {
      const word = data.words[Number(chooser.value)];
      const now = word.steps[step];
      const spans = word.steps.map((other, i) => {
        const span = document.createElement(i === step ? "b" : "span");
        span.textContent = `${i ? "→ " : ""}${i <= step ? other.letter : "·"} `;
        return span;
      });
      at("letters").replaceChildren(...spans);
      at("step-first").textContent = now.first;
      at("step-second").textContent = now.second;
      at("step-odds").textContent = now.odds;
      const notes = [];
      if (word.cut && step === word.steps.length - 1) notes.push("The sequence goes on; its beginning is shown.");
      at("step-note").textContent = notes.join(" ");
      at("back").disabled = step === 0;
      at("next").disabled = step === word.steps.length - 1;
      draw(now);
    };
    const move = (by) => {
      const last = data.words[Number(chooser.value)].steps.length - 1;
      step = Math.min(Math.max(step + by, 0), last);
      show();
    };
    at("back").addEventListener("click", () => move(-1));
    at("next").addEventListener("click", () => move(1));
    chooser.addEventListener("change", () => { step = 0; show(); });
    at("stepper").hidden = false;
    if (at("bars-note")) at("bars-note").hidden = false;
    show();
  };

  const tell = () => {
    for (const detail of document.querySelectorAll(".detail")) {
      for (const box of document.querySelectorAll(`#${detail.dataset.of} .box`)) {
        const show = () => { detail.textContent = box.getAttribute("aria-label"); };
        for (const event of ["focus", "click", "mouseenter"]) box.addEventListener(event, show);
        box.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          show();
        });
      }
    }
  };
  const fractions = () => {
    const all = document.body.classList;
    all.add("scripted");
    if (!document.querySelector(".fraction")) return;
    at("fractions-box").hidden = false;
    at("fractions").addEventListener("click", () => {
      at("fractions").setAttribute("aria-pressed", String(all.toggle("fractions")));
    });
  };

  // In the explorer, whose next report takes this one's place: say where the reader is, and go there.
  const follow = () => {
    window.addEventListener("scroll", () => parent.postMessage({ scrolled: window.scrollY }, "*"), { passive: true });
    window.addEventListener("message", (event) => {
      if (event.source === parent && Number.isFinite(event.data?.scrolled)) window.scrollTo(0, event.data.scrolled);
    });
  };

  tell();
  fractions();
  if (parent !== window) follow();
  if (data.points.length) readOff();
  if (data.words.length) stepThrough();
})();
