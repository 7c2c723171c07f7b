/**
 * Combines an external registry's verdict with paths and lines from the platform's own checkers. The registry decides, because it will
 * accept or reject the version. The verdict says when the two disagree.
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { judge, refusedVerdict } from '@slipway/schemas/formats/registry/judge.ts';
import type { SchemaReader } from '@slipway/schemas/formats/registry/schema-reader.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { CompatibilityLevel } from '#ports/schema.ts';
import type { SchemaRegistry, SchemaText, SchemaVerdict } from '#ports/schema-registry.ts';
import { Verdict } from './registry-api.ts';
import { segment, type RegistryClient } from './registry-client.ts';

interface Parts {
  readonly registry: Pick<SchemaRegistry, 'versions' | 'version' | 'lookup' | 'level'>;
  readonly reader: SchemaReader;
  readonly client: (environment: Environment) => RegistryClient;
  readonly bodyOf: (schema: SchemaText) => object;
}
interface Word {
  readonly isCompatible: boolean;
  readonly messages: readonly string[];
}
const LISTED = 50;
const wordsOf = ({ messages }: Word): string => messages.join(' ');

export class HttpVerdicts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async of(environment: Environment, subject: string, schema: SchemaText, asked?: CompatibilityLevel): Promise<SchemaVerdict> {
    const { registry, reader } = this.#parts;
    const [current, versions] = await Promise.all([registry.level(environment, subject), registry.versions(environment, subject)]);
    const level = asked ?? current.level;
    const parsed = await reader.parse(environment, schema);
    if (!parsed.ok) return refusedVerdict(parsed.problems, { level, versions });
    const same = versions.length === 0 ? undefined : (await registry.lookup(environment, subject, schema))?.version;
    const idOf = async (version: number): Promise<number> => (await registry.version(environment, subject, version))?.id ?? 0;
    const plain = { ...refusedVerdict([], { level, versions }), isCompatible: true, same };
    const own = await judge(reader, parsed.schema, { environment, level, versions, same, idOf }).catch((error: unknown) => {
      // The platform cannot read an earlier version, so only the registry's verdict is available.
      if (isPortFailure(error, 'rejected') || isPortFailure(error, 'notFound')) return undefined;
      throw error;
    });
    // The registry can only check at its own level, not at a hypothetical one.
    if (level !== current.level) return own ?? plain;
    const word = await this.#word(environment, subject, schema, level);
    return own ? together(own, word) : alone(plain, word);
  }

  /**
   * Asks the registry. Without such a subject, there is nothing that a first version could break. If the level compares with one version,
   * that version is named: when asked for all versions, Apicurio compares with all of them, regardless of the level.
   */
  async #word(environment: Environment, subject: string, schema: SchemaText, level: CompatibilityLevel): Promise<Word> {
    const versions = level.endsWith('_TRANSITIVE') ? 'versions' : 'versions/latest';
    const path = `/compatibility/subjects/${segment(subject)}/${versions}?verbose=true`;
    const answer = await this.#parts.client(environment).find(Verdict, { method: 'POST', path, body: this.#parts.bodyOf(schema) });
    return { isCompatible: answer?.is_compatible ?? true, messages: (answer?.messages ?? []).slice(0, LISTED) };
  }
}

const together = (own: SchemaVerdict, word: Word): SchemaVerdict => {
  if (own.isCompatible === word.isCompatible) return own;
  if (!word.isCompatible)
    return { ...alone(own, word), disagreement: `The registry refuses it, Slipway's own check does not: ${wordsOf(word)}` };
  const found = own.issues.map(({ line, title }) => `line ${line}: ${title}`).join(', ');
  return { ...own, isCompatible: true, issues: [], disagreement: `The registry takes it. Slipway's own check would not: ${found}` };
};

/** Builds the verdict from the registry's own messages, without paths or lines. */
const alone = (verdict: SchemaVerdict, word: Word): SchemaVerdict => ({
  ...verdict,
  isCompatible: word.isCompatible,
  issues: (word.isCompatible ? [] : word.messages.length === 0 ? ['The registry gives no reason.'] : word.messages).map((message) => ({
    code: 'REGISTRY',
    title: 'Refused by the registry',
    message,
    path: '',
    line: 1,
    column: 1,
    from: 0,
    to: 0,
    version: 0,
    direction: verdict.level.startsWith('FORWARD') ? 'FORWARD' : 'BACKWARD',
  })),
});
