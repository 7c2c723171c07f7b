/** Implements ParsedSchema for JSON Schema. Messages are JSON. */
import type { JsonValue, ParsedSchema, ParseResult, SchemaField, SchemaProblem } from '@slipway/foundation/ports/schema.ts';
import type { SchemaReference } from '../schema-format.ts';
import { MessageError } from '../schema-format.ts';
import { sampleWithinLimits, withinLimits } from '../message-limits.ts';
import { referenceList } from '../reference-list.ts';
import { fingerprintOf } from '../text/digest.ts';
import { canonicalJson, parseJson, textMember } from '../text/json-text.ts';
import type { JsonNode } from '../text/json-text.ts';
import { SourceText } from '../text/source-text.ts';
import { draftOf } from './dialect.ts';
import type { Draft } from './dialect.ts';
import { jsonFields, jsonSample } from './json-fields.ts';
import { valueProblem } from './json-value.ts';
import { SchemaWalk } from './parse-json-schema.ts';
import { ReferenceResolver } from './resolve-reference.ts';
import type { JsonDocument } from './resolve-reference.ts';

interface Parts {
  readonly document: JsonDocument;
  readonly draft: Draft;
  readonly resolver: ReferenceResolver;
  readonly canonical: string;
  readonly referenceNames: readonly string[];
}

export class JsonSchema implements ParsedSchema {
  readonly type = 'JSON';
  readonly content: string;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly name: string | undefined;
  readonly referenceNames: readonly string[];
  readonly root: JsonNode;
  readonly source: SourceText;
  readonly draft: Draft;
  readonly resolver: ReferenceResolver;

  constructor({ document, draft, resolver, canonical, referenceNames }: Parts) {
    this.content = document.source.text;
    this.root = document.root;
    this.source = document.source;
    this.draft = draft;
    this.resolver = resolver;
    this.canonical = canonical;
    this.fingerprint = fingerprintOf(canonical);
    this.name = textMember(document.root, 'title');
    this.referenceNames = referenceNames;
  }

  fields(): readonly SchemaField[] {
    return jsonFields(this);
  }

  sample(): JsonValue {
    return sampleWithinLimits(() => jsonSample(this));
  }

  decode(body: Uint8Array): JsonValue {
    try {
      const value: JsonValue = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
      return value;
    } catch {
      throw new MessageError('', 'The message is no JSON.');
    }
  }

  encode(value: JsonValue): Uint8Array {
    const problem = withinLimits(() => valueProblem(this, value));
    if (problem !== undefined) throw problem;
    return new TextEncoder().encode(JSON.stringify(value));
  }
}

export const parseJsonSchema = (content: string, references: readonly SchemaReference[]): ParseResult => {
  const own = readDocument('', content);
  if ('problems' in own) return { ok: false, problems: own.problems };
  const draft = draftOf(own.root) ?? 7;
  const list = referenceList(references);
  const documents: JsonDocument[] = [own];
  for (const reference of list) {
    const document = readDocument(reference.name, reference.content);
    if ('problems' in document) {
      const message = `The reference “${reference.name}” is not valid: ${document.problems[0]?.message}`;
      return { ok: false, problems: [{ ...own.source.place(own.root), message }] };
    }
    documents.push(document);
  }
  const resolver = new ReferenceResolver(documents);
  const problems = documents.flatMap((document) => danglingProblems(document, resolver, own));
  if (problems.length > 0) return { ok: false, problems };
  const canonical = documents.map(({ name, root }) => (name === '' ? canonicalJson(root) : `${name}=${canonicalJson(root)}`)).join('\n');
  return { ok: true, schema: new JsonSchema({ document: own, draft, resolver, canonical, referenceNames: list.map(({ name }) => name) }) };
};

const readDocument = (name: string, content: string): JsonDocument | { readonly problems: readonly SchemaProblem[] } => {
  const source = new SourceText(content);
  const text = parseJson(content);
  if ('problems' in text) return { problems: text.problems.map((problem) => ({ ...source.place(problem), message: problem.message })) };
  const draft = draftOf(text.root);
  if (draft === undefined)
    return { problems: [{ ...source.place(text.root), message: 'This “$schema” is not known: use draft-07, 2019-09 or 2020-12.' }] };
  const walk = new SchemaWalk(draft, source);
  walk.schema(text.root);
  return walk.problems.length > 0 ? { problems: walk.problems } : { name, root: text.root, source, schemas: walk.schemas };
};

const danglingProblems = (document: JsonDocument, resolver: ReferenceResolver, own: JsonDocument): SchemaProblem[] =>
  document.schemas.flatMap((schema) => {
    const dangling = resolver.dangling(schema);
    if (dangling === undefined) return [];
    const message = `“${dangling.kind === 'string' ? dangling.value : ''}” leads to nothing: neither here nor in a reference.`;
    return [{ ...own.source.place(document === own ? dangling : own.root), message }];
  });
