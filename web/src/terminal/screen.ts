// The screen: xterm.js, with everything off by which a program could reach beyond it.
import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";

const LIGHT: ITheme = {
  background: "#ffffff", foreground: "#1b2023", cursor: "#1b2023", cursorAccent: "#ffffff", selectionBackground: "#b9ddd0",
  black: "#1b2023", red: "#b3261e", green: "#1a6e3c", yellow: "#7a5b00", blue: "#1f5fa8", magenta: "#8b3a8f", cyan: "#0b6a75", white: "#5b656c",
  brightBlack: "#5b656c", brightRed: "#c4352c", brightGreen: "#1f7d46", brightYellow: "#8a6700", brightBlue: "#2a6dbb", brightMagenta: "#9c479f", brightCyan: "#127986", brightWhite: "#1b2023",
};
const DARK: ITheme = {
  background: "#0d1012", foreground: "#dfe4e6", cursor: "#dfe4e6", cursorAccent: "#0d1012", selectionBackground: "#24493d",
  black: "#2b3338", red: "#f08b83", green: "#67c98f", yellow: "#dcb75c", blue: "#7fb2ec", magenta: "#d394d6", cyan: "#5fc4cf", white: "#c6cdd1",
  brightBlack: "#808b92", brightRed: "#f7a59e", brightGreen: "#86dba8", brightYellow: "#e8cb80", brightBlue: "#a0c7f3", brightMagenta: "#e0b0e2", brightCyan: "#86d6df", brightWhite: "#ffffff",
};
export const themeOf = (dark: boolean): ITheme => (dark ? DARK : LIGHT);

// What a program may not do: set the title, the working directory or colours of the page's own, make links, reach the clipboard, notify.
const REFUSED_OSC = [0, 1, 2, 7, 8, 9, 50, 52, 99, 133, 633, 777, 1337];

export function makeTerminal(element: HTMLElement, onLeave: () => void) {
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace',
    fontSize: 13,
    scrollback: 5000,
    cursorBlink: false,
    allowProposedApi: false,
    windowOptions: {},
    linkHandler: { activate: () => undefined },
    minimumContrastRatio: 4.5,
    macOptionIsMeta: true,
  });
  for (const number of REFUSED_OSC) terminal.parser.registerOscHandler(number, () => true);
  const fitting = new FitAddon();
  terminal.loadAddon(fitting);
  // Tab belongs to the shell: another key leads out.
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== "F6") return true;
    if (event.type === "keydown") onLeave();
    event.preventDefault();
    return false;
  });
  terminal.open(element);
  const fit = () => {
    if (element.offsetParent !== null) fitting.fit();
  };
  const observer = new ResizeObserver(fit);
  observer.observe(element);
  return {
    terminal,
    fit,
    dispose: () => {
      observer.disconnect();
      terminal.dispose();
    },
  };
}
