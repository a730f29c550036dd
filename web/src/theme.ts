// Light, dark, or as the system has it; kept for this browser.
import { Store } from "./store";

export type Theme = "system" | "light" | "dark";
const NAME = "paddock.theme";

function stored(): Theme {
  try {
    const text = localStorage.getItem(NAME);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system";
  }
}

export const theme = new Store<Theme>(stored());
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
export const isDark = new Store(false);

function apply(): void {
  isDark.set(theme.get() === "dark" || (theme.get() === "system" && systemIsDark.matches));
  document.documentElement.dataset["theme"] = isDark.get() ? "dark" : "light";
}
theme.follow(() => {
  try {
    localStorage.setItem(NAME, theme.get());
  } catch {
    // Without storage it holds for this page.
  }
  apply();
});
systemIsDark.addEventListener("change", apply);
apply();

export function nextTheme(): void {
  theme.set(theme.get() === "system" ? (isDark.get() ? "light" : "dark") : theme.get() === "light" ? "dark" : "light");
}
