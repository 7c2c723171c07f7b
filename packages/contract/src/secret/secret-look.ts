/**
 * Guesses whether a plain value is a secret, so that it is moved to a secret group before revisions store it. A guess warns and never
 * rejects. Checks known formats first, then names that suggest a secret, then random text. UUIDs, hashes, image references, plain URLs and
 * paths are identifiers and raise no warning.
 */
export interface SecretLook {
  /** With its article, for use in a sentence: `a GitHub token`. */
  readonly kind: string;
}

/** No pattern may rescan the rest of the text from every position: values have up to 32,768 characters, and there are hundreds. */
const shapes: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ['a GitHub token', /\b(?:gh[opsru]_[A-Za-z0-9]{36,}|github_pat_\w{22,})/],
  ['a GitLab token', /\bgl(?:pat|ptt|dt|rt|cbt)-[\w-]{20,}/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}/],
  ['a PyPI token', /\bpypi-[\w-]{50,}/],
  ['a NuGet key', /\boy2[a-z0-9]{43}\b/],
  ['a Docker Hub token', /\bdckr_(?:pat|oat)_[\w-]{20,}/],
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['a Google API key', /\bAIza[\w-]{35}/],
  ['a Stripe key', /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/],
  ['a Slack token', /\bx(?:ox[abeoprs]|app)-[\w-]{10,}/],
  ['a Slack webhook', /\bhooks\.slack\.com\/(?:services|workflows)\/\w+\/\w+\/\w+/],
  ['an Azure connection string', /\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{20,}/i],
  ['an Azure shared access signature', /[?&;]sig=[^&\s]{20,}|\bSharedAccessSignature=\S{20,}/i],
  ['an Azure storage key', /^[A-Za-z0-9+/]{86}==$/],
  ['a JSON Web Token', /(?<=\beyJ[\w-]{8,})\.eyJ[\w-]{8,}\.[\w-]{8,}/],
  ['a connection string with a password', /(?:^|[;\s])(?:password|pwd)\s*=\s*(?![<$*{%])[^;\s]+/i],
  // Excludes placeholders for passwords: `${PASSWORD}`, `<password>`, `***`.
  ['a URL with a password', /(?<![\w+.-])[\w+.-]+:\/\/[^\s/@:?#]*:(?![<$*{%])[^\s/@]+@[^\s/]/],
];

const promises =
  /(?:^|_)(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|CREDENTIALS?|(?:API|ACCESS|ACCOUNT|SECRET|PRIVATE|SIGNING|ENCRYPTION|LICENSE)_?KEY)$/;
/** `apiKey`, `API-KEY` → `API_KEY`. */
const shouted = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
const isPlace = (value: string): boolean => /^(?:[a-z][\w+.-]*:\/\/|\.{0,2}\/|~\/|[A-Za-z]:\\)/i.test(value);
const isWord = (value: string): boolean => /^(?:true|false|yes|no|on|off|none|null|\d{1,5}|[<$*{%].*)$/i.test(value);
const promisesSecret = (name: string, value: string): boolean =>
  promises.test(shouted(name)) && value.length >= 6 && !/\s/.test(value) && !isPlace(value) && !isWord(value);

/** Shannon entropy in bits per character: 0 for `aaaa`, 4 for sixteen different characters. */
export const entropyOf = (text: string): number => {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const total = [...text].length;
  return [...counts.values()].reduce((sum, count) => sum - (count / total) * Math.log2(count / total), 0);
};

const minLength = 20;
const minEntropy = 3.4;
/**
 * Random text switches between letters, digits and case more often than words. Measured mean lengths: words at least 3.5, random text at
 * most 2.6.
 */
const maxMeanPiece = 2.75;
/** Instance names end in ten random characters but are not secrets. */
const minStretch = 14;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const hash = /^(?:[\w./:@-]*(?:sha|md)\d+:)?[0-9a-f]+$/i;
/** Longer hexadecimal text without a prefix is a key as from `openssl rand -hex`, unless the name suggests a hash. */
const maxPlainHex = 40;
const hashNames = /(?:^|_)(?:SHA\d*|MD5|HASH|DIGEST|CHECKSUM|COMMIT|REVISION|ETAG|FINGERPRINT|THUMBPRINT)(?:_|$)/;

const isHash = (name: string, value: string): boolean =>
  hash.test(value) && (value.includes(':') || value.length <= maxPlainHex || hashNames.test(shouted(name)));

const looksRandom = (value: string): boolean => {
  const text = value.replace(uuid, '');
  if (text.length < minLength || !/^[A-Za-z0-9+/_.~!@#$%^*-]+={0,2}$/.test(text) || isPlace(text)) return false;
  const stretches = text.split(/[-_.]/).map(({ length }) => length);
  if (Math.max(...stretches) < minStretch || entropyOf(text) < minEntropy) return false;
  const pieces = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const isMixed = /\d/.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text));
  return isMixed && /[A-Za-z]/.test(text) && pieces.join('').length / pieces.length <= maxMeanPiece;
};

/**
 * Returns what the value looks like, or undefined if it may stay in the settings. `name` is the variable's name. Pure; keeps no copy of the
 * value.
 */
export const looksLikeSecret = (name: string, value: string): SecretLook | undefined => {
  const text = value.trim();
  const known = shapes.find(([, shape]) => shape.test(text));
  if (known) return { kind: known[0] };
  if (promisesSecret(name, text)) return { kind: 'a password or key' };
  return !isHash(name, text) && looksRandom(text) ? { kind: 'a random key' } : undefined;
};
