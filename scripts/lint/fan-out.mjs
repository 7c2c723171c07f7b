/**
 * A rule for oxlint: nothing is done for every row at once. It refuses `Promise.all` and its siblings over anything but a list that is
 * written out, and calls in a loop that nobody waits for (`void call()`). `mapLimited` of the server's kernel is the way to do it.
 */
const combinators = new Set(['all', 'allSettled', 'any', 'race']);
const loops = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']);
const iterations = new Set(['forEach', 'map', 'flatMap']);

const nameOf = (node) => (node.type === 'MemberExpression' && !node.computed ? node.property.name : undefined);
const isCombinator = ({ callee }) => combinators.has(nameOf(callee)) && callee.object.name === 'Promise';
/** As many promises as the source names. */
const isWrittenOut = (node) => node?.type === 'ArrayExpression' && node.elements.every((element) => element?.type !== 'SpreadElement');

/** Whether a statement runs once for each of many things: in a loop, or in a callback of an array's method. */
const isRepeated = (node) => {
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (loops.has(parent.type) && parent.body === at) return true;
    if (!/Function/.test(at.type)) continue;
    return parent.type === 'CallExpression' && parent.arguments.includes(at) && iterations.has(nameOf(parent.callee));
  }
  return false;
};

const fanOut = {
  create: (context) => ({
    CallExpression(node) {
      if (isCombinator(node) && !isWrittenOut(node.arguments[0]))
        context.report({ node, message: 'As many calls at once as there are items. Use mapLimited, which limits them.' });
    },
    UnaryExpression(node) {
      if (node.operator === 'void' && node.argument.type === 'CallExpression' && isRepeated(node))
        context.report({ node, message: 'A call for each item that nobody waits for. Use mapLimited, or await it.' });
    },
  }),
};

export default { meta: { name: 'slipway' }, rules: { 'fan-out': fanOut } };
