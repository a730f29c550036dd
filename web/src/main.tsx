import { render } from "preact";
import "@xterm/xterm/css/xterm.css";
import "./style.css";
import { App } from "./app";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
