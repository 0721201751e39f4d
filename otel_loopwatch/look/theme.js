// The button that goes from the system's theme to light, to dark, and back.

const THEMES = ["auto", "light", "dark"];

export function themeButton(button) {
  const root = document.documentElement;
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length];
    root.dataset.theme = next;
    button.textContent = `Theme: ${next}`;
  });
}
