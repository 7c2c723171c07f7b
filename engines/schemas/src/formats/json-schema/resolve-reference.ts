/** Resolves `$ref` within a schema and its references. Never fetches anything. */
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { member, textMember } from '../text/json-text.ts';
import type { SourceText } from '../text/source-text.ts';

/** One text: the schema itself, or one of its references. */
export interface JsonDocument {
  readonly name: string;
  readonly root: JsonNode;
  readonly source: SourceText;
  /** The objects in the document that are schemas. */
  readonly schemas: readonly JsonObject[];
}

const base = 'https://schema.invalid/';
const references = ['$ref', '$dynamicRef', '$recursiveRef'];

const absolute = (reference: string, from: string): string | undefined => {
  const address = URL.parse(reference, from);
  return address === null ? undefined : address.href;
};

const withoutFragment = (address: string): string => address.split('#', 1)[0] ?? '';

export class ReferenceResolver {
  /** Roots by address, and anchors by address with `#name`. */
  readonly #targets = new Map<string, JsonNode>();
  /** The base address of each object, and its document. */
  readonly #homes = new Map<JsonNode, string>();
  readonly #sources = new Map<JsonNode, SourceText>();

  constructor(documents: readonly JsonDocument[]) {
    for (const document of documents) this.#add(document);
  }

  sourceOf(node: JsonNode): SourceText | undefined {
    return this.#sources.get(node);
  }

  /** Returns undefined if the object has no reference, or a dangling one: see `dangling`. */
  target(node: JsonObject): JsonNode | undefined {
    const reference = references.map((name) => textMember(node, name)).find((text) => text !== undefined);
    return reference === undefined ? undefined : this.#resolve(node, reference);
  }

  /** Returns the member that refers to nothing. A reference to a meta-schema accepts any schema, and its target is not inspected. */
  dangling(node: JsonObject): JsonNode | undefined {
    return references
      .map((name) => member(node, name))
      .find((found) => found?.kind === 'string' && !isMetaSchema(found.value) && this.#resolve(node, found.value) === undefined);
  }

  #add({ name, root, source, schemas }: JsonDocument): void {
    const own = absolute(name, base) ?? base;
    this.#targets.set(withoutFragment(own), root);
    this.#walk(root, own, source, new Set(schemas));
  }

  #walk(node: JsonNode, home: string, source: SourceText, schemas: ReadonlySet<JsonNode>): void {
    this.#sources.set(node, source);
    const isSchema = schemas.has(node);
    const here = isSchema ? this.#identified(node, home) : home;
    this.#homes.set(node, here);
    const children = node.kind === 'object' ? node.members.values() : node.kind === 'array' ? node.items : [];
    for (const child of children) this.#walk(child, here, source, schemas);
  }

  /** Registers an object's `$id` and anchors. Returns the base address within it. */
  #identified(node: JsonNode, home: string): string {
    const id = textMember(node, '$id') ?? textMember(node, 'id');
    const address = id === undefined ? home : (absolute(id, home) ?? home);
    if (id !== undefined) this.#register(id.startsWith('#') ? address : withoutFragment(address), node);
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = textMember(node, keyword);
      if (anchor !== undefined) this.#register(`${withoutFragment(address)}#${anchor}`, node);
    }
    return id?.startsWith('#') === true ? home : address;
  }

  #register(address: string, node: JsonNode): void {
    if (!this.#targets.has(address)) this.#targets.set(address, node);
  }

  #resolve(node: JsonNode, reference: string): JsonNode | undefined {
    const address = absolute(reference, this.#homes.get(node) ?? base);
    if (address === undefined) return undefined;
    const [document = '', fragment = ''] = address.split('#');
    const root = this.#targets.get(document);
    if (fragment === '') return root;
    if (!fragment.startsWith('/')) return this.#targets.get(`${document}#${fragment}`);
    return root === undefined ? undefined : pointed(root, fragment);
  }
}

const isMetaSchema = (reference: string): boolean => /^https?:\/\/json-schema\.org\//.test(reference);

const pointed = (root: JsonNode, fragment: string): JsonNode | undefined => {
  let node: JsonNode | undefined = root;
  for (const part of fragment.slice(1).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    node = node?.kind === 'array' ? node.items[/^\d{1,9}$/.test(name) ? Number(name) : -1] : member(node, name);
  }
  return node;
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
