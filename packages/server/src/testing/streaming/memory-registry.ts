/**
 * A schema registry in memory, with a format of its own that is quick to judge: a JSON object `{ "fields": [{ "name", "class", "default" }] }`, whose
 * messages are JSON. A field that is added without a default breaks readers. Real formats and registries are tried by their own suites.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { PortFailure } from '#ports/failure.ts';
import type { RegisterOptions, SchemaRegistry, SchemaText, SchemaVerdict, SubjectVersion } from '#ports/schema-registry.ts';
import type { CompatibilityLevel, JsonValue, ParsedSchema, ParseResult, SchemaField, SchemaProblem, VersionIssue } from '#ports/schema.ts';

const lineOf = (content: string, text: string): number => content.slice(0, Math.max(0, content.indexOf(text))).split('\n').length;
const problem = (message: string, line = 1): SchemaProblem => ({ path: '', line, column: 1, from: 0, to: 0, message });
const fieldsOf = (content: string): SchemaField[] => {
  const value: unknown = JSON.parse(content);
  const fields: unknown = isRecord(value) ? value['fields'] : undefined;
  return (Array.isArray(fields) ? fields : []).flatMap((field: unknown): SchemaField[] => {
    if (!isRecord(field) || typeof field['name'] !== 'string') return [];
    const { name, class: classification } = field;
    const isOptional = 'default' in field;
    return [
      { name, path: name, type: 'any', isOptional, line: 1, children: [], ...(typeof classification === 'string' && { classification }) },
    ];
  });
};
export const frame = (id: number, value: unknown): Uint8Array => {
  const body = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(5);
  head.writeInt32BE(id, 1);
  return Buffer.concat([head, body]);
};

const parsedOf = (text: SchemaText): ParsedSchema => ({
  type: text.type,
  content: text.content,
  canonical: text.content,
  fingerprint: createHash('sha256').update(text.content).digest('hex'),
  name: undefined,
  referenceNames: [],
  fields: () => fieldsOf(text.content),
  sample: () => ({}),
  decode: (body) => JSON.parse(Buffer.from(body).toString('utf8')) as JsonValue,
  encode: (value) => Buffer.from(JSON.stringify(value)),
});
const parse = (text: SchemaText): ParseResult => {
  try {
    const value: unknown = JSON.parse(text.content);
    if (!isRecord(value) || !Array.isArray(value['fields'])) return { ok: false, problems: [problem('A schema has fields')] };
  } catch {
    return { ok: false, problems: [problem('It is no JSON')] };
  }
  return { ok: true, schema: parsedOf(text) };
};

export class MemoryRegistry {
  readonly #subjects = new Map<string, SubjectVersion[]>();
  readonly levels = new Map<string, CompatibilityLevel>();
  readonly #ids: SchemaText[] = [];
  isAway = false;

  #key = (environment: string, subject: string): string => `${environment}/${subject}`;
  /** Those that are not deleted. */
  live(environment: string, subject: string): SubjectVersion[] {
    return (this.#subjects.get(this.#key(environment, subject)) ?? []).filter(({ isDeleted }) => !isDeleted);
  }
  #level(environment: string, subject: string) {
    const key = this.#key(environment, subject);
    return { level: this.levels.get(key) ?? ('BACKWARD' as const), isOwn: this.levels.has(key) };
  }
  #ask<T>(answer: () => T): Promise<T> {
    if (this.isAway)
      return Promise.reject(new PortFailure('unavailable', 'The registry is away', { context: { engine: 'schema registry' } }));
    return Promise.resolve().then(answer);
  }
  #idOf(text: SchemaText): number {
    const at = this.#ids.findIndex(({ content, type }) => content === text.content && type === text.type);
    return at === -1 ? this.#ids.push(text) : at + 1;
  }
  #issues(next: string, before: SubjectVersion): VersionIssue[] {
    const known = new Set(fieldsOf(before.content).map(({ name }) => name));
    return fieldsOf(next)
      .filter(({ name, isOptional }) => !known.has(name) && !isOptional)
      .map(({ name }) => ({
        ...problem(`${name} has no default`, lineOf(next, `"${name}"`)),
        path: `/fields/${name}`,
        code: 'READER_FIELD_MISSING_DEFAULT_VALUE',
        title: `${name} has no default`,
        version: before.version,
        direction: 'BACKWARD' as const,
      }));
  }
  #check(environment: string, subject: string, text: SchemaText, asked?: CompatibilityLevel): SchemaVerdict {
    const level = asked ?? this.levels.get(this.#key(environment, subject)) ?? 'BACKWARD';
    const parsed = parse(text);
    const live = this.live(environment, subject);
    const newest = live.at(-1);
    const issues = parsed.ok && newest && level !== 'NONE' ? this.#issues(text.content, newest) : [];
    return {
      problems: parsed.ok ? [] : parsed.problems,
      isCompatible: issues.length === 0,
      level,
      issues,
      checked: newest && level !== 'NONE' ? [newest.version] : [],
      newest: newest?.version,
      same: live.find(({ content }) => content === text.content)?.version,
      disagreement: undefined,
    };
  }
  #register(environment: string, subject: string, text: SchemaText, { after }: RegisterOptions = {}) {
    const all = this.#subjects.get(this.#key(environment, subject)) ?? [];
    const live = this.live(environment, subject);
    const id = this.#idOf(text);
    const same = live.find(({ content }) => content === text.content);
    if (same) return { id, version: same.version, isNew: false };
    const newest = live.at(-1)?.version ?? null;
    if (after !== undefined && after !== newest) throw new PortFailure('conflict', 'Another version came');
    const { isCompatible, problems } = this.#check(environment, subject, text);
    if (problems.length > 0) throw new PortFailure('rejected', 'Invalid', { code: 'SchemaInvalid', context: { reason: 'no schema' } });
    if (!isCompatible)
      throw new PortFailure('rejected', 'Incompatible', { code: 'SchemaIncompatible', context: { reason: 'breaks readers' } });
    const version = (all.at(-1)?.version ?? 0) + 1;
    this.#subjects.set(this.#key(environment, subject), [
      ...all,
      { ...text, references: text.references ?? [], subject, version, id, isDeleted: false },
    ]);
    return { id, version, isNew: true };
  }
  #remove(environment: string, subject: string, { version, isPermanent = false }: { version?: number; isPermanent?: boolean } = {}): void {
    const key = this.#key(environment, subject);
    const all = this.#subjects.get(key) ?? [];
    const isMeant = (one: SubjectVersion): boolean => version === undefined || one.version === version;
    const left = isPermanent ? all.filter((one) => !isMeant(one)) : all.map((one) => (isMeant(one) ? { ...one, isDeleted: true } : one));
    this.#subjects.set(key, left);
  }
  #text(id: number): SchemaText {
    const text = this.#ids[id - 1];
    if (!text) throw new PortFailure('notFound', `There is no schema ${id}`);
    return text;
  }

  readonly port: SchemaRegistry = {
    kind: 'embedded',
    info: (environment) => ({ url: `http://localhost/schema-registry/${environment}`, takesAccounts: true }),
    subjects: (environment, prefix = '') =>
      this.#ask(() =>
        [...this.#subjects.keys()]
          .filter((key) => key.startsWith(`${environment}/${prefix}`))
          .map((key) => key.slice(environment.length + 1))
          .filter((subject) => this.live(environment, subject).length > 0),
      ),
    heads: (environment, subjects) =>
      this.#ask(() => {
        const found = subjects.map((subject) => [subject, this.live(environment, subject).at(-1)] as const);
        return new Map(
          found.flatMap(([subject, newest]) => (newest ? [[subject, { ...newest, ...this.#level(environment, subject) }] as const] : [])),
        );
      }),
    versions: (environment, subject) => this.#ask(() => this.live(environment, subject).map(({ version }) => version)),
    version: (environment, subject, version) =>
      this.#ask(() => {
        const live = this.live(environment, subject);
        return version === 'latest' ? live.at(-1) : live.find((one) => one.version === version);
      }),
    lookup: (environment, subject, { content }) => this.#ask(() => this.live(environment, subject).find((one) => one.content === content)),
    byId: (_, id) => this.#ask(() => this.#ids[id - 1]),
    places: async () => [],
    register: (environment, subject, text, options) => this.#ask(() => this.#register(environment, subject, text, options)),
    check: (environment, subject, text, level) => this.#ask(() => this.#check(environment, subject, text, level)),
    level: (environment, subject) => this.#ask(() => this.#level(environment, subject)),
    setLevel: (environment, subject, level) =>
      this.#ask(() => {
        if (level === null) this.levels.delete(this.#key(environment, subject));
        else this.levels.set(this.#key(environment, subject), level);
      }),
    remove: (environment, subject, what) => this.#ask(() => this.#remove(environment, subject, what)),
    referencedBy: async () => [],
    parse: (_, text) => this.#ask(() => parse(text)),
    changes: () => [],
    parsed: (_, id) => this.#ask(() => parsedOf(this.#text(id))),
    decode: async (_, message) => {
      if (message.length < 5 || message[0] !== 0) return { state: 'UNFRAMED' };
      const schemaId = Buffer.from(message).readInt32BE(1);
      const text = this.#ids[schemaId - 1];
      if (!text) return { state: 'UNREADABLE', schemaId, reason: 'The registry has no such schema' };
      const schema = parsedOf(text);
      return { state: 'DECODED', schemaId, value: schema.decode(message.subarray(5)), schema };
    },
    encode: (_, id, value) =>
      this.#ask(() => {
        const missing = fieldsOf(this.#text(id).content).find(({ name, isOptional }) => !isOptional && !(isRecord(value) && name in value));
        if (missing)
          throw new PortFailure('rejected', 'Invalid', { code: 'MessageInvalid', context: { path: missing.name, reason: 'is missing' } });
        return frame(id, value);
      }),
    probe: () => this.#ask(() => undefined),
    close: async () => {},
  };
}
