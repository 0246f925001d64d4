// Comfort, not function: without this file the page works by forms and links alone. It sends on Enter and looks for news while some is due.
const talk = document.querySelector("main.talk");
const box = document.querySelector("#text");
const side = document.querySelector("details.side");

if (side && matchMedia("(max-width: 44rem)").matches) side.open = false;

box?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && box.value.trim()) {
    event.preventDefault();
    box.form.requestSubmit();
  }
});

const idle = () => !box?.value && ![...document.querySelectorAll(".tf-words")].some((field) => field.value);

async function look() {
  const answer = await fetch(`${talk.dataset.frames}?after=${talk.dataset.after}`, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const { results } = await answer.json();
  if (!results.some((frame) => frame.type === "turn.delivered")) return;
  clearInterval(timer);
  if (idle()) location.replace(`${location.pathname}?${Date.now()}#latest`);
  else talk.querySelector(".news").hidden = false;
}

const timer = talk?.dataset.waiting === "yes" ? setInterval(() => document.hidden || look().catch(() => {}), 1500) : 0;
