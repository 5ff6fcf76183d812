"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const token = new URLSearchParams(location.search).get("token") || "";
  const address = (path) => `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
  const FIELDS = ["name", "secrets", "constants", "pair", "epsilon", "delta", "max_nodes"];
  const PAUSE = 350;
  const LONGEST_LINK = 65536;
  let events = null;
  let job = null;
  let working = false;
  let timer = null;
  let shown = null;
  let turn = 0;

  const kind = () => document.querySelector("input[name=kind]:checked").value;
  const example = () => data.zoo.find((entry) => entry.name === at("example").value);
  const box = deltachainEditor.editor(at("text"), "Model", data.nonce, () => changed());
  const texts = { model: "", program: data.starter };
  let spoken = "model";

  const showKind = () => {
    if (spoken !== kind() && kind() !== "example") {
      texts[spoken] = box.text();
      spoken = kind();
      box.write(texts[spoken]);
    }
    at("for-example").hidden = kind() !== "example";
    at("for-text").hidden = kind() === "example";
    at("for-program").hidden = kind() !== "program";
    at("text-label").textContent = kind() === "program" ? "Python text (compiled, never run)" : "A model as native JSON";
    box.speak(kind(), kind() === "program" ? "Program" : "Model");
    if (kind() === "program" && !at("secrets").value && box.text() === data.starter) at("secrets").value = data.secrets;
  };
  const choose = (value) => {
    document.querySelector(`input[name=kind][value=${value}]`).checked = true;
    showKind();
  };
  // A slider beside a number: the text is what is asked; the slider follows it where it can.
  const slider = (input, range) => {
    range.addEventListener("input", () => { input.value = range.value; changed(); });
    input.addEventListener("input", () => { if (Number.isFinite(Number(input.value))) range.value = input.value; });
  };
  const rangeFor = (key, value) => {
    const parts = value.split("/").map(Number);
    const number = parts.length === 2 ? parts[0] / parts[1] : parts[0];
    if (!Number.isFinite(number) || value === "") return null;
    const whole = Number.isInteger(number) && parts.length === 1 && !value.includes(".");
    if (!whole && (number <= 0 || number >= 1)) return null;
    const range = document.createElement("input");
    range.type = "range";
    range.min = whole ? String(Math.min(1, number)) : "0.01";
    range.max = whole ? String(Math.max(2 * number, number + 4)) : "0.99";
    range.step = whole ? "1" : "0.01";
    range.value = String(number);
    range.setAttribute("aria-label", `${key} by a slider`);
    return range;
  };
  const showExample = (given = {}) => {
    const chosen = example();
    at("summary").textContent = chosen.summary;
    at("parameters").replaceChildren(...chosen.parameters.map(([key, value]) => {
      const part = document.createElement("div");
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.dataset.key = key;
      input.value = key in given ? given[key] : value;
      label.append(key, " ", input);
      part.append(label);
      const range = rangeFor(key, value);
      if (range) {
        slider(input, range);
        part.append(range);
      }
      return part;
    }));
  };
  const spec = () => {
    const settings = [...at("parameters").querySelectorAll("input[data-key]")].map((input) => `${input.dataset.key}=${input.value}`);
    return [at("example").value, ...settings].join(",");
  };
  const showErrors = (errors) => {
    at("errors").replaceChildren(...errors.map((error) => {
      const item = document.createElement("li");
      if (error.line !== null && kind() !== "example") {
        const jump = document.createElement("button");
        jump.type = "button";
        jump.textContent = `line ${error.line}`;
        jump.addEventListener("click", () => box.go(error.line));
        item.append(jump, ": ");
      } else if (error.where) {
        item.append(`${error.where}: `);
      }
      item.append(error.what, error.fix ? ` (${error.fix})` : "");
      return item;
    }));
    box.mark(errors.filter((error) => error.line !== null));
    if (errors.length) at("errors").scrollIntoView({ block: "nearest" });
  };
  const setWorking = (yes) => {
    working = yes;
    at("stop").disabled = !yes;
  };
  const fail = (errors) => {
    setWorking(false);
    at("status").textContent = "";
    showErrors(errors);
  };

  const question = () => {
    const asked = { action: "report", kind: kind(), text: kind() === "example" ? spec() : box.text() };
    for (const field of FIELDS) asked[field] = at(field).value;
    return asked;
  };
  const told = (asked) => {
    const model = { example: asked.text, model: "the model as it was", program: "the program as it was" }[asked.kind];
    return `${model}, ε = ${asked.epsilon}${asked.delta ? `, δ = ${asked.delta}` : ""}${asked.pair ? `, ${asked.pair}` : ""}`;
  };
  // An answer to another question than the one that stands there is dimmed, and says so.
  const markStale = () => {
    const stale = shown !== null && JSON.stringify(shown) !== JSON.stringify(question());
    at("result").classList.toggle("stale", stale);
    at("stale").hidden = !stale;
    at("stale").textContent = stale ? `This is the answer to an earlier question: ${told(shown)}.` : "";
  };

  const ask = async (asked, done) => {
    const mine = turn += 1;
    clearTimeout(timer);
    if (events) events.close();
    // At most one computation is alive: what is no longer wanted is dropped first.
    if (working && job) await fetch(address(`/drop/${job}`), { method: "POST" }).catch(() => null);
    if (mine !== turn) return;
    setWorking(true);
    at("status").textContent = "asking";
    let answer;
    try {
      const response = await fetch(address("/run"), { method: "POST", body: JSON.stringify(asked) });
      answer = await response.json();
    } catch (error) {
      if (mine === turn) fail([{ where: "", what: "the server does not answer; is deltachain explore still running?", fix: "", line: null }]);
      return;
    }
    if (mine !== turn) return;
    if (answer.error) {
      fail(answer.error);
      return;
    }
    job = answer.job;
    const stream = new EventSource(address(`/events/${job}`));
    events = stream;
    stream.onmessage = (message) => {
      const news = JSON.parse(message.data);
      if (mine !== turn) {
        stream.close();
        return;
      }
      at("status").textContent = news.progress;
      if (news.state === "failed") {
        stream.close();
        fail(news.errors);
      } else if (news.state === "done") {
        stream.close();
        setWorking(false);
        showErrors([]);
        done(news, asked);
      }
    };
    stream.onerror = () => {
      if (mine === turn && stream.readyState === EventSource.CLOSED) {
        fail([{ where: "", what: "the connection was lost", fix: "compute again", line: null }]);
      }
    };
  };
  const showReport = (news, asked) => {
    shown = { ...asked };
    delete shown.live;
    at("result-head").textContent = news.headline + (news.stopped ? " (stopped early)" : "");
    at("result-head").hidden = false;
    at("answers").textContent = told(asked);
    at("nothing").hidden = true;
    at("report").src = address(`/report/${job}`);
    at("report").hidden = false;
    for (const part of ["certificate", "csv", "model"]) at(`save-${part}`).href = address(`/${part}/${job}`);
    at("save-report").href = address(`/report/${job}?save=1`);
    at("downloads").hidden = false;
    if (news.stopped && asked.live) at("status").textContent = "stopped after a few seconds; Compute takes the time it needs";
    markStale();
  };
  const compute = (live) => ask(live ? { ...question(), live: "1" } : question(), showReport);
  const changed = () => {
    markStale();
    clearTimeout(timer);
    if (at("live").checked) timer = setTimeout(() => compute(true), PAUSE);
  };

  // A link holds the question behind its #, which browsers keep to themselves.
  const packed = (value) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };
  const unpacked = (text) => {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const restore = (asked) => {
    if (asked.kind === "example") {
      const [name, ...settings] = asked.text.split(",");
      if (data.zoo.some((entry) => entry.name === name)) at("example").value = name;
      showExample(Object.fromEntries(settings.map((setting) => setting.split("=").map((part) => part.trim()))));
      choose("example");
    } else {
      showExample();
      choose(asked.kind);
      box.write(asked.text);
    }
    for (const field of FIELDS) if (typeof asked[field] === "string") at(field).value = asked[field];
    at("epsilon-slider").value = at("epsilon").value;
  };

  at("form").addEventListener("submit", (event) => {
    event.preventDefault();
    compute(false);
  });
  at("stop").addEventListener("click", () => fetch(address(`/stop/${job}`), { method: "POST" }));
  at("edit").addEventListener("click", () => {
    ask({ action: "show", kind: "example", text: spec() }, (news) => {
      choose("model");
      box.write(news.text);
    });
  });
  at("link").addEventListener("click", async () => {
    const text = packed(question());
    if (text.length > LONGEST_LINK) {
      at("link-note").textContent = "the model is too long for a link: save it instead";
      return;
    }
    history.replaceState(null, "", `#${text}`);
    try {
      await navigator.clipboard.writeText(location.href);
      at("link-note").textContent = "copied; it opens in this explorer";
    } catch (error) {
      at("link-note").textContent = "it is in the address bar now";
    }
  });
  at("keep").addEventListener("click", () => {
    at("kept").src = at("report").src;
    at("kept-answers").textContent = `Kept: ${told(shown)}`;
    at("kept-box").hidden = false;
    at("drop").hidden = false;
  });
  at("drop").addEventListener("click", () => {
    at("kept-box").hidden = true;
    at("drop").hidden = true;
  });
  for (const radio of document.querySelectorAll("input[name=kind]")) {
    radio.addEventListener("change", () => { showKind(); changed(); });
  }
  at("form").addEventListener("input", (event) => { if (event.target.matches("input:not([type=radio], [type=range], #live), textarea")) changed(); });
  at("example").addEventListener("change", () => { showExample(); changed(); });
  slider(at("epsilon"), at("epsilon-slider"));

  for (const entry of data.zoo) at("example").add(new Option(entry.name, entry.name));
  let begin = data.begin;
  if (location.hash.length > 1 && location.hash.length <= LONGEST_LINK) {
    try {
      begin = unpacked(location.hash.slice(1));
    } catch (error) {
      at("link-note").textContent = "the link could not be read";
    }
  }
  if (!["example", "model", "program"].includes(begin.kind) || typeof begin.text !== "string") begin = data.begin;
  showExample();
  restore(begin);
  compute(true);
})();
