import { expect, test } from 'vitest';
import { nearNames } from './near-names.ts';

const names = ['berth-planner', 'berth-planning', 'customs', 'crane-api', 'crane-ui'];

test.each([
  ['berth-planer', ['berth-planner', 'berth-planning']],
  ['bert-planner', ['berth-planner', 'berth-planning']],
  ['Customs-', ['customs']],
  ['crane-apis', ['crane-api', 'crane-ui']],
  ['invoices', []],
  ['customs', []],
  ['CUSTOMS', ['customs']],
])('%s', (wanted, expected) => expect(nearNames(wanted, names)).toEqual(expected));
