"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const token = new URLSearchParams(location.search).get("token") || "";
  const address = (path) => `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
  const FIELDS = ["name", "secrets", "constants", "pair", "epsilon", "delta", "max_nodes"];
  let events = null;
  let job = null;

  const kind = () => document.querySelector("input[name=kind]:checked").value;
  const example = () => data.zoo.find((entry) => entry.name === at("example").value);

  const showKind = () => {
    at("for-example").hidden = kind() !== "example";
    at("for-text").hidden = kind() === "example";
    at("for-program").hidden = kind() !== "program";
    at("text-label").textContent = kind() === "program" ? "Python text (compiled, never run)" : "Model";
  };
  const choose = (value) => {
    document.querySelector(`input[name=kind][value=${value}]`).checked = true;
    showKind();
  };
  const showExample = (given = {}) => {
    const chosen = example();
    at("summary").textContent = chosen.summary;
    at("parameters").replaceChildren(...chosen.parameters.map(([key, value]) => {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.dataset.key = key;
      input.value = key in given ? given[key] : value;
      label.append(key, " ", input);
      return label;
    }));
  };
  const spec = () => {
    const settings = [...at("parameters").querySelectorAll("input")].map((input) => `${input.dataset.key}=${input.value}`);
    return [at("example").value, ...settings].join(",");
  };
  const number = (marked = new Set()) => {
    const count = at("text").value.split("\n").length;
    const lines = [];
    for (let i = 1; i <= count; i += 1) {
      const line = document.createElement(marked.has(i) ? "b" : "span");
      line.textContent = `${marked.has(i) ? "▸" : ""}${i}\n`;
      lines.push(line);
    }
    at("gutter").replaceChildren(...lines);
  };
  const goTo = (line) => {
    const box = at("text");
    const before = box.value.split("\n").slice(0, line - 1).join("\n").length;
    const from = line > 1 ? before + 1 : 0;
    box.focus();
    box.setSelectionRange(from, from + (box.value.split("\n")[line - 1] || "").length);
  };
  const showErrors = (errors) => {
    at("errors").replaceChildren(...errors.map((error) => {
      const item = document.createElement("li");
      if (error.line !== null && kind() !== "example") {
        const jump = document.createElement("button");
        jump.type = "button";
        jump.textContent = `line ${error.line}`;
        jump.addEventListener("click", () => goTo(error.line));
        item.append(jump, ": ");
      } else if (error.where) {
        item.append(`${error.where}: `);
      }
      item.append(error.what, error.fix ? ` (${error.fix})` : "");
      return item;
    }));
    number(new Set(errors.map((error) => error.line)));
  };
  const working = (yes) => {
    at("run").disabled = yes;
    at("edit").disabled = yes;
    at("stop").disabled = !yes;
  };
  const fail = (errors) => {
    working(false);
    at("status").textContent = "";
    showErrors(errors);
  };

  const ask = async (question, done) => {
    if (events) events.close();
    showErrors([]);
    working(true);
    at("status").textContent = "asking";
    let answer;
    try {
      const response = await fetch(address("/run"), { method: "POST", body: JSON.stringify(question) });
      answer = await response.json();
    } catch (error) {
      fail([{ where: "", what: "the server does not answer; is deltachain explore still running?", fix: "", line: null }]);
      return;
    }
    if (answer.error) {
      fail(answer.error);
      return;
    }
    job = answer.job;
    events = new EventSource(address(`/events/${job}`));
    events.onmessage = (message) => {
      const news = JSON.parse(message.data);
      at("status").textContent = news.progress;
      if (news.state === "failed") {
        events.close();
        fail(news.errors);
      } else if (news.state === "done") {
        events.close();
        working(false);
        done(news);
      }
    };
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) {
        fail([{ where: "", what: "the connection was lost", fix: "compute again", line: null }]);
      }
    };
  };
  const question = () => {
    const asked = { action: "report", kind: kind(), text: kind() === "example" ? spec() : at("text").value };
    for (const field of FIELDS) asked[field] = at(field).value;
    return asked;
  };
  const showReport = (news) => {
    at("result-head").textContent = news.headline + (news.stopped ? " (stopped early)" : "");
    at("result-head").hidden = false;
    at("nothing").hidden = true;
    at("report").src = address(`/report/${job}`);
    at("report").hidden = false;
    at("save-report").href = address(`/report/${job}?save=1`);
    at("save-certificate").href = address(`/certificate/${job}`);
    at("save-csv").href = address(`/csv/${job}`);
    at("downloads").hidden = false;
  };

  at("form").addEventListener("submit", (event) => {
    event.preventDefault();
    ask(question(), showReport);
  });
  at("stop").addEventListener("click", () => fetch(address(`/stop/${job}`), { method: "POST" }));
  at("edit").addEventListener("click", () => {
    ask({ action: "show", kind: "example", text: spec() }, (news) => {
      at("text").value = news.text;
      choose("model");
      number();
    });
  });
  for (const radio of document.querySelectorAll("input[name=kind]")) radio.addEventListener("change", showKind);
  at("text").addEventListener("input", () => number());
  at("text").addEventListener("scroll", () => { at("gutter").scrollTop = at("text").scrollTop; });
  at("example").addEventListener("change", () => showExample());

  for (const entry of data.zoo) at("example").add(new Option(entry.name, entry.name));
  choose(data.begin.kind);
  if (data.begin.kind === "example") {
    const [name, ...settings] = data.begin.text.split(",");
    if (data.zoo.some((entry) => entry.name === name)) at("example").value = name;
    showExample(Object.fromEntries(settings.map((setting) => setting.split("=").map((part) => part.trim()))));
  } else {
    showExample();
    at("text").value = data.begin.text;
    at("name").value = data.begin.name || "";
  }
  number();
})();
