/** Checks the reader's constraints on arrays: items by position and the remaining ones, `contains`, and uniqueness. */
import type { CompatibilityIssue } from '@slipway/foundation/ports/schema.ts';
import type { JsonNode, JsonObject } from '../text/json-text.ts';
import type { Comparison, Constraint } from './comparison.ts';
import type { Here } from './json-issues.ts';
import { checkUnevaluated } from './check-object.ts';
import type { WriterSide } from './writer-side.ts';
import { itemSchema, otherItems, sameJson, tupleOf } from './writer-side.ts';

export const checkArray = (node: JsonObject, here: Here, checker: Comparison): Constraint[] => {
  const constraints: Constraint[] = [
    // A single constraint, so that in each case of the writer, all positions belong to the same case.
    (written) => [...checkTuple(node, written, here, checker), ...checkOtherItems(node, written, here, checker)],
    (written) => checkContains(node, written, here, checker),
    (written) => checkUnique(node, written, here, checker),
    (written) => checkUnevaluated(node, 'unevaluatedItems', written, here, checker),
  ];
  return constraints.map(
    (constraint): Constraint =>
      (written) =>
        written.types().has('array') ? constraint(written) : [],
  );
};

const isFalse = (node: JsonNode): boolean => node.kind === 'boolean' && !node.value;

const mostItems = (written: WriterSide): number =>
  Math.min(Infinity, ...written.keyword('maxItems').flatMap((most) => (most.kind === 'number' ? [most.value] : [])));

const checkTuple = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const longest = Math.max(0, ...[node, ...written.nodes].map((schema) => tupleOf(schema)?.length ?? 0));
  const issues: CompatibilityIssue[] = [];
  for (let index = 0; index < Math.min(longest, mostItems(written)); index++) {
    checker.budget.spend();
    const schema = itemSchema(node, index);
    if (schema === undefined) continue;
    const inside: Here = { ...here, name: `${here.name}[${index}]` };
    const found = checker.compare(schema, written.item(index), inside);
    if (found.length === 0) continue;
    const isKnown = written.nodes.some((writer) => tupleOf(writer)?.[index] !== undefined);
    if (isFalse(schema)) issues.push(checker.issues.property('ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL', inside, node));
    else if (isKnown) issues.push(...found);
    else issues.push(checker.issues.property('ITEM_ADDED_TO_OPEN_CONTENT_MODEL', inside, node));
  }
  return issues;
};

const checkOtherItems = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const others = otherItems(node);
  const longest = Math.max(0, ...[node, ...written.nodes].map((schema) => tupleOf(schema)?.length ?? 0));
  if (others === undefined || longest >= mostItems(written)) return [];
  const issues = checker.compare(others, written.otherItems(), { ...here, name: `items of ${here.name}` });
  if (issues.length === 0 || tupleOf(node) === undefined) return issues;
  return [
    checker.issues.make(
      isFalse(others) ? 'ADDITIONAL_ITEMS_REMOVED' : 'ADDITIONAL_ITEMS_NARROWED',
      here,
      node,
      'other items',
      'additionalItems',
    ),
  ];
};

const checkContains = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const wanted = node.members.get('contains');
  if (wanted === undefined) return [];
  const bounds = ['minContains', 'maxContains'].map((name) => node.members.get(name));
  const isKept = written.nodes.some((writer) => {
    const given = writer.members.get('contains');
    const isSame = ['minContains', 'maxContains'].every((name, index) => {
      const [own, other] = [bounds[index], writer.members.get(name)];
      return own === undefined || (other !== undefined && sameJson(own, other));
    });
    return given !== undefined && isSame && checker.compare(wanted, [given], here).length === 0;
  });
  return isKept ? [] : [checker.issues.make('CONTAINS_NARROWED', here, node, 'lists without such an item', 'contains')];
};

const checkUnique = (node: JsonObject, written: WriterSide, here: Here, checker: Comparison): CompatibilityIssue[] => {
  const isUnique = (value: JsonNode | undefined): boolean => value?.kind === 'boolean' && value.value;
  if (!isUnique(node.members.get('uniqueItems')) || written.keyword('uniqueItems').some(isUnique) || mostItems(written) < 2) return [];
  return [checker.issues.make('UNIQUE_ITEMS_ADDED', here, node, 'lists with the same item twice', 'uniqueItems')];
};
