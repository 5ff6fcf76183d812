"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const token = new URLSearchParams(location.search).get("token") || "";
  const address = (path) => `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
  const tab = sessionStorage.getItem("tab") || String(Math.random()).slice(2);
  sessionStorage.setItem("tab", tab);
  const FIELDS = ["name", "secrets", "constants", "pair", "epsilon", "delta", "max_nodes"];
  const PAUSE = 350;
  const LONGEST_LINK = 65536;
  let events = null;
  let job = null;
  let working = false;
  let timer = null;
  let shown = null;
  let turn = 0;
  let scrolled = 0;

  const kind = () => document.querySelector("input[name=kind]:checked").value;
  const example = () => data.zoo.find((entry) => entry.name === at("example").value);
  const box = deltachainEditor.editor(at("text"), "Model", data.nonce, () => changed());
  document.querySelector("#text .cm-content").setAttribute("aria-describedby", "text-keys");
  const texts = { model: data.model, program: data.programs[data.starter].text };
  let language = "";

  const showKind = () => {
    if (language !== kind() && kind() !== "example") {
      if (language) texts[language] = box.text();
      language = kind();
      box.write(texts[language]);
    }
    at("for-example").hidden = kind() !== "example";
    at("for-text").hidden = kind() === "example";
    at("for-program").hidden = kind() !== "program";
    at("text-label").textContent = kind() === "program" ? "Python text: compiled, never run." : "A model as native JSON.";
    box.speak(kind(), kind() === "program" ? "Program" : "Model");
    const starter = data.programs[data.starter];
    if (kind() === "program" && !at("secrets").value && box.text() === starter.text) at("secrets").value = starter.secrets;
  };
  const choose = (value) => {
    document.querySelector(`input[name=kind][value=${value}]`).checked = true;
    showKind();
  };
  // A slider beside a number: the text is what is asked; the slider follows it where it can.
  const numberOf = (text) => {
    const parts = text.split("/").map(Number);
    if (text.trim() === "" || parts.length > 2) return NaN;
    return parts.length === 2 ? parts[0] / parts[1] : parts[0];
  };
  const follow = (range, text) => { if (Number.isFinite(numberOf(text))) range.value = String(numberOf(text)); };
  const slider = (input, range) => {
    range.addEventListener("input", () => { input.value = range.value; changed(); });
    input.addEventListener("input", () => follow(range, input.value));
  };
  const rangeFor = (key, value) => {
    const number = numberOf(value);
    if (!Number.isFinite(number)) return null;
    const whole = /^-?\d+$/.test(value.trim());
    if (!whole && (number <= 0 || number >= 1)) return null;
    const range = document.createElement("input");
    range.type = "range";
    range.min = whole ? String(Math.min(1, number)) : "0.01";
    range.max = whole ? String(Math.max(2 * number, number + 4)) : "0.99";
    range.step = whole ? "1" : "0.01";
    range.value = String(number);
    range.setAttribute("aria-label", `${key}, slider`);
    return range;
  };
  const showExample = (given = {}) => {
    const chosen = example();
    at("summary").textContent = chosen.summary;
    at("edit-program").hidden = !(chosen.name in data.programs);
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
        follow(range, input.value);
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
    // They stick to the top of the window, once the top of the form is in it.
    if (errors.length && at("errors").getBoundingClientRect().bottom < 0) at("errors").scrollIntoView({ block: "nearest" });
  };
  // Progress changes many times in a second: a screen reader is told when it begins and how it ends.
  const say = (text) => {
    at("status").textContent = text;
    at("spoken").textContent = text;
  };
  const setWorking = (yes) => {
    working = yes;
    at("stop").disabled = !yes;
  };
  const fail = (errors) => {
    setWorking(false);
    say("");
    showErrors(errors);
  };

  const question = () => {
    const asked = { action: "report", kind: kind(), text: kind() === "example" ? spec() : box.text() };
    for (const field of FIELDS) asked[field] = at(field).value;
    return asked;
  };
  const described = (asked) => {
    const same = asked.kind === kind() && asked.text === question().text;
    const text = { model: "the model", program: asked.name ? `program ${asked.name}` : "the program" }[asked.kind];
    const model = asked.kind === "example" ? asked.text : `${text}${same ? "" : " before it was changed"}`;
    return `${model}, ε = ${asked.epsilon}${asked.delta ? `, δ ≤ ${asked.delta}` : ""}${asked.pair ? `, ${asked.pair}` : ""}`;
  };
  // An answer to a question other than the current one is dimmed, and says so.
  const markStale = () => {
    const stale = shown !== null && JSON.stringify(shown) !== JSON.stringify(question());
    at("result").classList.toggle("stale", stale);
    at("answers").hidden = stale;
    at("stale").hidden = !stale;
    at("stale").textContent = stale ? `Answer to an earlier question: ${described(shown)}` : "";
    if (stale && !working) at("status").textContent = at("live").checked ? "" : "The question has changed: Compute answers it.";
  };

  const ask = async (asked, done) => {
    const mine = turn += 1;
    clearTimeout(timer);
    if (events) events.close();
    // At most one computation is alive: what is no longer wanted is dropped first.
    if (working && job) await fetch(address(`/drop/${job}?tab=${tab}`), { method: "POST" }).catch(() => null);
    if (mine !== turn) return;
    setWorking(true);
    say("computing");
    showErrors([]);
    let answer;
    try {
      const response = await fetch(address(`/run?tab=${tab}`), { method: "POST", body: JSON.stringify(asked) });
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
      if (!["done", "failed"].includes(news.state)) at("status").textContent = news.progress;
      if (news.state === "failed") {
        stream.close();
        fail(news.errors);
      } else if (news.state === "done") {
        stream.close();
        setWorking(false);
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
    at("answers").textContent = described(asked);
    at("nothing").hidden = true;
    at("report").src = address(`/report/${job}`);
    at("report").hidden = false;
    for (const part of ["certificate", "csv", "model"]) at(`save-${part}`).href = address(`/${part}/${job}`);
    at("save-report").href = address(`/report/${job}?save=1`);
    at("downloads").hidden = false;
    at("down").hidden = false;
    const early = { time: asked.live ? "; stopped after a few seconds, Compute takes longer" : "; time limit reached", interrupted: "; stopped" };
    say(`${asked.delta ? `${news.headline}: ` : ""}${news.found}${news.stopped ? early[news.stopped] : ""}`);
    markStale();
  };
  // A program that is compared with nothing has no answer yet, which is no error: the page asks for what is missing.
  const lacksSecrets = () => kind() === "program" && at("secrets").value.split("\n").filter((line) => line.trim()).length < 2;
  const askForSecrets = (live) => {
    turn += 1;
    clearTimeout(timer);
    if (events) events.close();
    if (working && job) fetch(address(`/drop/${job}?tab=${tab}`), { method: "POST" }).catch(() => null);
    setWorking(false);
    showErrors([]);
    markStale();
    say("Enter at least two secrets, one per line, such as x=0 and x=1: the values to be told apart.");
    if (!live) at("secrets").focus();
  };
  const compute = (live) => {
    if (lacksSecrets()) askForSecrets(live);
    else ask(live ? { ...question(), live: "1" } : question(), showReport);
  };
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
  // In a text with several programs, the one that is asked about is in view; the keyboard stays where it was.
  const showProgram = (name) => {
    const line = box.text().split("\n").findIndex((text) => text.match(/^(?:async\s+)?def\s+(\w+)/)?.[1] === name);
    if (line < 0) return;
    const before = document.activeElement;
    box.go(line + 1);
    if (before && before !== document.body) before.focus({ preventScroll: true });
    else document.activeElement.blur();
    window.scrollTo(0, 0);
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
    for (const field of FIELDS) at(field).value = typeof asked[field] === "string" ? asked[field] : at(field).defaultValue;
    if (asked.kind === "program" && asked.name) showProgram(asked.name);
    follow(at("epsilon-slider"), at("epsilon").value);
  };

  at("form").addEventListener("submit", (event) => {
    event.preventDefault();
    compute(false);
  });
  at("stop").addEventListener("click", () => fetch(address(`/stop/${job}`), { method: "POST" }));
  at("edit").addEventListener("click", () => {
    ask({ action: "show", kind: "example", text: spec() }, (news) => {
      say("");
      choose("model");
      box.write(news.text);
    });
  });
  at("edit-program").addEventListener("click", () => {
    const { text, secrets, constants } = data.programs[example().name];
    const given = [...at("parameters").querySelectorAll("input[data-key]")].filter((input) => constants.includes(input.dataset.key));
    const set = given.filter((input) => input.value !== example().parameters.find(([key]) => key === input.dataset.key)[1]);
    choose("program");
    box.write(text);
    at("name").value = "";
    at("secrets").value = secrets;
    at("constants").value = set.map((input) => `${input.dataset.key}=${input.value}`).join(", ");
    changed();
  });
  at("down").addEventListener("click", () => at("result").scrollIntoView());
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
    at("kept-answers").textContent = `Kept: ${described(shown)}`;
    at("kept-box").hidden = false;
    at("drop").hidden = false;
  });
  at("drop").addEventListener("click", () => {
    at("kept-box").hidden = true;
    at("drop").hidden = true;
    at("keep").focus();
  });
  for (const radio of document.querySelectorAll("input[name=kind]")) {
    radio.addEventListener("change", () => { scrolled = 0; showKind(); changed(); });
  }
  at("form").addEventListener("input", (event) => { if (event.target.matches("input:not([type=radio], [type=range], #live), textarea")) changed(); });
  at("example").addEventListener("change", () => { scrolled = 0; showExample(); changed(); });
  at("form").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    compute(false);
  }, true);
  // A report that takes the place of another one stays where its reader was.
  window.addEventListener("message", (event) => {
    if (event.source === at("report").contentWindow && Number.isFinite(event.data?.scrolled)) scrolled = event.data.scrolled;
  });
  at("report").addEventListener("load", () => at("report").contentWindow.postMessage({ scrolled }, "*"));
  slider(at("epsilon"), at("epsilon-slider"));

  for (const entry of data.zoo) at("example").add(new Option(entry.name, entry.name));
  // The question of the link in the address bar; null where there is none, or none that can be read.
  const linked = () => {
    const text = location.hash.slice(1);
    if (!text) return null;
    try {
      const asked = text.length <= LONGEST_LINK ? unpacked(text) : null;
      if (["example", "model", "program"].includes(asked?.kind) && typeof asked.text === "string") return asked;
    } catch (error) {
      // Said below.
    }
    at("link-note").textContent = "the link could not be read";
    return null;
  };
  // A link that is opened where the explorer is open already changes the fragment, and loads nothing.
  window.addEventListener("hashchange", () => {
    at("link-note").textContent = "";
    const asked = linked();
    if (asked === null) return;
    restore(asked);
    compute(true);
  });
  showExample();
  restore(linked() || data.begin);
  compute(true);
})();
