// The frame around the pages: who may see it, where one is, whether the daemon answers.
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, hasKey, lockedOut, signOut } from "./api";
import { harmless } from "./format";
import { connection, retryNow, startFollowing, stopFollowing } from "./live";
import { EventsPage } from "./pages/events";
import { LoginPage } from "./pages/login";
import { SandboxPage } from "./pages/sandbox";
import { SandboxesPage } from "./pages/sandboxes";
import { SnapshotsPage } from "./pages/snapshots";
import { link, place } from "./router";
import { keepSandboxes, loadSandboxes } from "./sandboxes";
import { now, useStore } from "./store";
import { theme, nextTheme } from "./theme";
import { Button, Empty, ErrorNote, Loading, Toasts } from "./ui";

keepSandboxes();

function ConnectionMark() {
  const { state, retryAt } = useStore(connection);
  const at = useStore(now);
  if (state === "live") return <span class="mark live" title="Changes are shown as they happen"><span class="dot" aria-hidden="true" />live</span>;
  if (state === "connecting") return <span class="mark"><span class="dot" aria-hidden="true" />connecting</span>;
  return <span class="mark lost"><span class="dot" aria-hidden="true" />no answer{retryAt > at + 2000 ? ", waiting" : ""}</span>;
}

function LostBanner() {
  if (useStore(connection).state !== "lost") return null;
  return (
    <div class="banner" role="alert">
      <span>The daemon does not answer. What is shown may be old; it is tried again until it does. Is <code>paddock serve</code> running?</span>
      <Button onClick={retryNow}>Try now</Button>
    </div>
  );
}

const PAGES: [string, string][] = [["", "Sandboxes"], ["snapshots", "Snapshots"], ["events", "Events"]];

function Page() {
  const { segments } = useStore(place);
  useEffect(() => {
    const [page = "sandboxes", what, view] = segments;
    document.title = `${[what === undefined ? "" : harmless(what, 60), view ?? page].filter((word) => word !== "").join(" ")} – Paddock`;
  }, [segments]);
  const [first = "", second] = segments;
  if (first === "" || (first === "sandboxes" && second === undefined)) return <SandboxesPage />;
  if (first === "sandboxes" && second !== undefined) return <SandboxPage key={second} id={second} tab={segments[2] ?? "overview"} />;
  if (first === "snapshots") return <SnapshotsPage />;
  if (first === "events") return <EventsPage />;
  return <Empty title="There is no such page"><p><a href="#/">All sandboxes</a></p></Empty>;
}

function Frame() {
  const { segments } = useStore(place);
  const current = segments[0] === "sandboxes" ? "" : (segments[0] ?? "");
  const kind = useStore(theme);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}>Skip to content</a>
      <header class="top">
        <a class="brand" href="#/"><img src="/dashboard/icon.svg" alt="" width="22" height="22" />Paddock</a>
        <nav aria-label="Pages">
          {PAGES.map(([segment, title]) => (
            <a key={segment} href={link(segment === "" ? [] : [segment])} {...(current === segment ? { "aria-current": "page" as const } : {})}>{title}</a>
          ))}
        </nav>
        <span class="space" />
        <ConnectionMark />
        <Button kind="quiet" onClick={nextTheme} aria-label={`Theme: ${kind}. Change it`} title={`Theme: ${kind}`}>{kind === "dark" ? "☾" : kind === "light" ? "☀" : "◐"}</Button>
        {hasKey() && <Button kind="quiet" onClick={() => signOut("")}>Sign out</Button>}
      </header>
      <LostBanner />
      <main id="main" tabIndex={-1}><Page /></main>
    </>
  );
}

export function App() {
  const reason = useStore(lockedOut);
  const [isIn, setIn] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // Whether requests pass as they are: with the key of this tab, or where none is needed.
  const enter = async () => {
    setError(null);
    try {
      await ask("GET", "/v1/isolations");
      setIn(true);
      startFollowing();
      void loadSandboxes();
    } catch (failure) {
      if (!(failure instanceof ApiError && failure.status === 401)) setError(failure);
    }
  };
  useEffect(() => {
    if (reason === null) void enter();
    else {
      stopFollowing();
      setIn(false);
    }
  }, [reason]);
  return (
    <>
      {reason !== null ? <LoginPage reason={reason} /> : isIn ? <Frame /> : error !== null ? <main><ErrorNote error={error} onRetry={enter} /></main> : <Loading what="Paddock" />}
      <Toasts />
    </>
  );
}
