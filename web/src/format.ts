// How amounts, times and foreign text are shown.

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let amount = bytes;
  let unit = -1;
  while (amount >= 1023.95 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 1) return `${Math.round(Math.max(0, milliseconds))} ms`;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

export function agoText(time: string, at: number): string {
  const passed = Math.round((at - Date.parse(time)) / 1000) * 1000;
  if (Number.isNaN(passed)) return "";
  if (passed < -1000) return `in ${spanText(-passed)}`;
  return passed < 5000 ? "just now" : `${spanText(passed)} ago`;
}

export function timeText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

// Text from a sandbox on one line. Characters that would hide or reorder what stands around them are named.
export function harmless(text: string, most = 300, hasTabs = false): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => (hasTabs && character === "\t" ? character : `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`));
}

// Output of a process for reading: without escape sequences, and what a carriage return overwrote.
export function plain(text: string): string {
  return (
    text
      .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g, "")
      .replace(/\r\n/g, "\n")
      .replace(/[^\n\r]*\r(?=[^\n])/g, "")
      .replace(/[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}⟩`)
  );
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
