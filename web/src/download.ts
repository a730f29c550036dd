// Fetches by the browser itself, so that their size does not matter: with a ticket in the address, which is good once.
import { address, sandboxPath, ticketFor } from "./api";

export async function download(sandbox: string, route: string, path: string, name: string): Promise<void> {
  const ticket = await ticketFor(sandbox);
  const anchor = document.createElement("a");
  anchor.href = address(sandboxPath(sandbox, route), { path, ticket });
  anchor.download = name;
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
}
