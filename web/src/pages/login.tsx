import { useState } from "preact/hooks";
import { ask, lockedOut, setKey } from "../api";
import { Form, TextField } from "../ui";

export function LoginPage({ reason }: { reason: string }) {
  const [key, setText] = useState("");
  return (
    <main class="login">
      <h1><img src="/dashboard/icon.svg" alt="" width="28" height="28" />Paddock</h1>
      {reason !== "" && <p class="note error" role="alert">{reason}</p>}
      <Form submit="Enter" onSubmit={async () => {
        setKey(key.trim());
        await ask("GET", "/v1/isolations");
        lockedOut.set(null);
      }}>
        <TextField label="Key" type="password" value={key} onValue={setText} required autofocus hint="It stays in this tab and is forgotten with it." />
      </Form>
      <section class="help">
        <h2>Where is it?</h2>
        <p>The first start of <code>paddock serve</code> wrote one to <code>admin.key</code> in its data directory, by default <code>~/.local/state/paddock</code>. Another one:</p>
        <pre tabIndex={0} aria-label="Command">paddock key create --role user NAME</pre>
        <p><a href="/dashboard/licenses.txt">Licences of what this page is made of</a></p>
      </section>
    </main>
  );
}
