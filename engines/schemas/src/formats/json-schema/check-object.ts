/** Checks the reader's constraints on objects: properties by name, by pattern and the remaining ones, and required properties. */
import type { CompatibilityIssue } from '@slipway/foundation/ports/schema.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import { member } from '../text/json-text.ts';
import type { Comparison, Constraint } from './comparison.ts';
import type { Here } from './json-issues.ts';
import type { WriterSide } from './writer-side.ts';
import { schemasOfProperty } from './writer-side.ts';

export const checkObject = (node: JsonObject, here: Here, checker: Comparison): Constraint[] => {
  const names = new Set(memberNames(node.members.get('properties')));
  const constraints: Constraint[] = [
    ...[...names].map(
      (name): Constraint =>
        (written) =>
          checkProperty(node, name, written, here, checker),
    ),
    // A single constraint, so that in each case of the writer, all names belong to the same case.
    (written) => [
      ...memberNames(...written.keyword('properties')).flatMap((name) =>
        names.has(name) ? [] : checkProperty(node, name, written, here, checker),
      ),
      ...checkPatterns(node, written, here, checker),
      ...checkOthers(node, written, here, checker),
    ],
    (written) => checkRequired(node, written, here, checker),
    (written) => checkNames(node, written, here, checker),
    (written) => checkDependencies(node, written, here, checker),
    (written) => checkUnevaluated(node, 'unevaluatedProperties', written, here, checker),
  ];
  return constraints.map(
    (constraint): Constraint =>
      (written) =>
        written.types().has('object') ? constraint(written) : [],
  );
};

const memberNames = (...objects: readonly (JsonNode | undefined)[]): string[] => [
  ...new Set(objects.flatMap((object) => (object?.kind === 'object' ? [...object.members.keys()] : []))),
];

const namesIn = (lists: readonly (JsonNode | undefined)[]): Set<string> =>
  new Set(
    lists.flatMap((list) => (list?.kind === 'array' ? list.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])) : [])),
  );

const isFalse = (node: JsonNode | undefined): boolean => node?.kind === 'boolean' && !node.value;

const checkProperty = (node: JsonObject, name: string, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  checker.budget.spend();
  const promised = written.property(name);
  const inside: Here = { ...here, name };
  return schemasOfProperty(node, name, checker.budget).flatMap((schema) => {
    const issues = checker.compare(schema, promised, inside);
    if (issues.length === 0) return [];
    if (isFalse(schema)) return [checker.issues.property('PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL', inside, node)];
    const isKnown = written.keyword('properties').some((object) => member(object, name) !== undefined);
    const isOwn = member(node.members.get('properties'), name) === schema;
    if (isKnown)
      return isOwn ? issues : [checker.issues.property('PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL', inside, node)];
    const isOpen = promised.every((other) => other.kind === 'boolean');
    return [
      checker.issues.property(
        isOpen ? 'PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL' : 'PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL',
        inside,
        node,
        schema,
      ),
    ];
  });
};

/** Checks names that match a pattern and are not in `properties`. */
const checkPatterns = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const patterns = node.members.get('patternProperties');
  if (patterns?.kind !== 'object') return [];
  return [...patterns.members].flatMap(([pattern, schema]) => {
    const inside: Here = { ...here, name: pattern };
    const promised = written.nodes.flatMap((writer) => member(writer.members.get('patternProperties'), pattern) ?? []);
    const issues = checker.compare(schema, promised, inside);
    // If the writer lacks the pattern, a matching name is an additional property or matches another of its patterns.
    const isPromised = written.nodes.some((writer) => {
      const [others, patterned] = [writer.members.get('additionalProperties'), writer.members.get('patternProperties')];
      const possible = [others, ...(patterned?.kind === 'object' ? patterned.members.values() : [])];
      return (
        others !== undefined &&
        possible.every((one) => one === undefined || checker.compare(schema, [...promised, one], inside).length === 0)
      );
    });
    return isPromised ? [] : issues;
  });
};

/** Checks names that the reader does not describe, against the writer's additional properties and those that only its patterns describe. */
const checkOthers = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const others = node.members.get('additionalProperties');
  if (others === undefined) return [];
  const issues = checker.compare(others, written.otherProperties(), { ...here, name: 'additionalProperties' });
  const known = memberNames(node.members.get('patternProperties'));
  const patterns = written.keyword('patternProperties').flatMap((object) => (object.kind === 'object' ? [...object.members] : []));
  const unknown = patterns
    .filter(([pattern]) => !known.includes(pattern))
    .flatMap(([pattern, schema]) => checker.compare(others, [schema], { ...here, name: pattern }));
  if (issues.length === 0) return unknown;
  const code = isFalse(others) ? 'ADDITIONAL_PROPERTIES_REMOVED' : 'ADDITIONAL_PROPERTIES_NARROWED';
  return [checker.issues.make(code, here, node, 'other properties', 'additionalProperties'), ...unknown];
};

const checkRequired = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const promised = namesIn(written.keyword('required'));
  return [...namesIn([node.members.get('required')])]
    .filter((name) => !promised.has(name))
    .map((name) => checker.issues.required(here, node, name));
};

const checkNames = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const names = node.members.get('propertyNames');
  if (names === undefined) return [];
  const promised = written.keyword('propertyNames');
  // A name is always a string, so constraints on strings apply to it.
  const issues = checker.compare(names, promised.length > 0 ? [...promised, anyText] : [anyText], { ...here, name: 'propertyNames' });
  return issues.length === 0
    ? []
    : [checker.issues.make('PROPERTY_NAMES_SCHEMA_CHANGED', here, node, 'other names of properties', 'propertyNames')];
};

const anyText: JsonObject = {
  kind: 'object',
  path: '',
  from: 0,
  to: 0,
  names: new Map(),
  members: new Map([['type', { kind: 'string', value: 'string', path: '', from: 0, to: 0 }]]),
};

/** Checks `dependencies` of drafts up to 7, and the two keywords that replaced it. */
const checkDependencies = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const promised = namesIn(written.keyword('required'));
  return ['dependencies', 'dependentRequired', 'dependentSchemas'].flatMap((keyword) => {
    const own = node.members.get(keyword);
    if (own?.kind !== 'object') return [];
    return [...own.members].flatMap(([name, dependency]) => {
      const given = written.nodes.flatMap((writer) =>
        ['dependencies', 'dependentRequired', 'dependentSchemas'].flatMap((other) => member(writer.members.get(other), name) ?? []),
      );
      const code = dependency.kind === 'array' ? 'DEPENDENCY_ARRAY_EXTENDED' : 'DEPENDENCY_SCHEMA_CHANGED';
      const isKept =
        dependency.kind === 'array'
          ? [...namesIn([dependency])].every((needed) => promised.has(needed) || namesIn(given).has(needed))
          : checker.compare(dependency, [...written.nodes, ...given.filter(({ kind }) => kind !== 'array')], here).length === 0;
      return isKept ? [] : [checker.issues.make(code, here, node, `${name} without what it needs`, keyword)];
    });
  });
};

/** Keywords that determine which properties or items are evaluated. */
const evaluating =
  'patternProperties additionalProperties dependentSchemas prefixItems items contains unevaluatedItems $ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else'.split(
    ' ',
  );

/** The keyword depends on the keywords beside it, so one schema of the writer must have the same value for each. */
export const checkUnevaluated = (
  node: JsonObject,
  keyword: string,
  written: WriterSide,
  here: Here,
  checker: Comparison,
): CompatibilityIssue[] => {
  const own = node.members.get(keyword);
  if (own === undefined || (own.kind === 'boolean' && own.value)) return [];
  const isPromised = written.nodes.some((writer) => {
    const known = memberNames(node.members.get('properties'));
    return (
      memberNames(writer.members.get('properties')).every((name) => known.includes(name)) &&
      [keyword, ...evaluating].every((name) => {
        const [wanted, given] = [node.members.get(name), writer.members.get(name)];
        return wanted === undefined || given === undefined ? wanted === given : checker.isSame(wanted, given);
      })
    );
  });
  if (isPromised) return [];
  return [checker.issues.make('UNEVALUATED_NARROWED', here, node, 'more than the reader expects', keyword)];
};
