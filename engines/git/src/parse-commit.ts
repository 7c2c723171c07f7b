/** Parses a commit object for display. */

export interface ParsedCommit {
  readonly author: string;
  readonly email: string;
  readonly at: Date;
  readonly message: string;
}

const identity = /^author ([^<>\n]*?) ?<([^<>\n]*)> (\d{1,15}) [+-]\d{4}$/m;

/** Returns undefined for a malformed commit. Git validates commits on push, so only older ones can be. */
export function parseCommit(content: Buffer): ParsedCommit | undefined {
  const text = content.toString('utf8');
  const split = text.indexOf('\n\n');
  const [, author = '', email = '', seconds] = identity.exec(split < 0 ? text : text.slice(0, split)) ?? [];
  if (seconds === undefined) return undefined;
  return { author, email, at: new Date(Number(seconds) * 1000), message: split < 0 ? '' : text.slice(split + 2) };
}
