/**
 * A rule for oxlint: conditions on app, environment and name are built by `rowAt`, `inPlace` and `placeSql` (modules/resources/place.ts). One
 * that forgets the environment finds the row of the same name in the other environment, too.
 */

/** Tables whose rows belong to an app, not to an environment. */
const withoutEnvironment = /\b(?:webhook|flag|flag_group)\b/;
const message = 'Build this condition with rowAt, inPlace or placeSql of modules/resources, which never omit the environment.';

const columnOf = (text) => /(?:^|[^\w])(app_id|environment|name)\s*$/.exec(text)?.[1];
const isPartial = (columns) => columns.has('app_id') && (columns.has('environment') || columns.has('name'));

/** Columns that SQL text compares with values. */
const comparedIn = ({ quasis }) =>
  new Set(quasis.slice(0, -1).map(({ value }) => (/=\s*$/.test(value.raw) ? columnOf(value.raw.replace(/=\s*$/, '')) : undefined)));

const isWhere = (node) =>
  node?.type === 'CallExpression' && node.callee.type === 'MemberExpression' && node.callee.property.name === 'where';
const literal = (node) => (node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined);

/** The calls of a chain, from the last one to the first: `db.selectFrom('topic').where(…).where(…)`. */
const chainOf = (last) => {
  const calls = [];
  for (let at = last; at?.type === 'CallExpression'; at = at.callee.type === 'MemberExpression' ? at.callee.object : undefined)
    calls.push(at);
  return calls;
};
const isLast = ({ parent }) => !(parent?.type === 'MemberExpression' && parent.parent?.type === 'CallExpression');

const onePlace = {
  create: (context) => ({
    TaggedTemplateExpression(node) {
      const text = node.quasi.quasis.map(({ value }) => value.raw).join(' ');
      if (node.tag.name !== 'sql' && node.tag.expression?.name !== 'sql') return;
      if (isPartial(comparedIn(node.quasi)) && !withoutEnvironment.test(text)) context.report({ node, message });
    },
    CallExpression(node) {
      if (node.callee.name === 'and' && node.arguments[0]?.type === 'ObjectExpression') {
        const names = new Set(node.arguments[0].properties.map(({ key }) => key?.name));
        if (isPartial(names)) context.report({ node, message });
      }
      if (!isLast(node)) return;
      const chain = chainOf(node);
      const compared = chain.filter((call) => isWhere(call) && literal(call.arguments[1]) === '=');
      const columns = new Set(compared.map((call) => columnOf(literal(call.arguments[0]) ?? '')));
      const tables = chain.map((call) => literal(call.arguments[0]) ?? '').join(' ');
      if (isPartial(columns) && !withoutEnvironment.test(tables)) context.report({ node, message });
    },
  }),
};

export default { meta: { name: 'places' }, rules: { 'one-place': onePlace } };
