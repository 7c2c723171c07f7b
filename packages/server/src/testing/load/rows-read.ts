/** How many rows and blocks PostgreSQL touches for what somebody asks: every statement of a request is run again under EXPLAIN ANALYZE. */
import pg from 'pg';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';

export interface Cost {
  /** Rows that scans gave or threw away, each time they ran. */
  readonly rows: number;
  readonly blocks: number;
  /** Rows that sequential scans read, by table. */
  readonly sequential: Readonly<Record<string, number>>;
}
interface Statement {
  readonly text: string;
  readonly values: unknown[];
}
interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** Notes the reading statements that the database is asked while `work` runs, over whichever connection. */
const recorded = async (pool: pg.Pool, work: () => Promise<unknown>): Promise<Statement[]> => {
  const statements: Statement[] = [];
  const prototype = pg.Client.prototype as { query: (this: pg.Client, ...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (...args) {
    // Prepared statements come as one object.
    const [text, values] = isRecord(args[0]) && typeof args[0]['text'] === 'string' ? [args[0]['text'], args[0]['values']] : args;
    const isRead = typeof text === 'string' && /^\s*(select|with)\b/i.test(text);
    if (isRead && this.database === pool.options.database) statements.push({ text, values: Array.isArray(values) ? values : [] });
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return statements;
};

const sumsOf = (counts: readonly Readonly<Record<string, number>>[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const count of counts) for (const [name, n] of Object.entries(count)) sums[name] = (sums[name] ?? 0) + n;
  return sums;
};
const costOf = (plan: Plan): Cost => {
  const isScan = plan['Node Type'].includes('Scan') && !/Subquery|CTE|Function|Bitmap Heap/.test(plan['Node Type']);
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const below = (plan.Plans ?? []).map(costOf);
  const sequential = plan['Node Type'] === 'Seq Scan' ? [{ [plan['Relation Name'] ?? '']: own * plan['Actual Loops'] }] : [];
  return {
    sequential: sumsOf([...sequential, ...below.map((cost) => cost.sequential)]),
    rows: (isScan ? own * plan['Actual Loops'] : 0) + below.reduce((sum, { rows }) => sum + rows, 0),
    // A node's blocks hold those of what is below it.
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  };
};

export const readBy = async (pool: pg.Pool, work: () => Promise<unknown>): Promise<Cost & { readonly statements: number }> => {
  const statements = await recorded(pool, work);
  let rows = 0;
  let blocks = 0;
  const sequential: Readonly<Record<string, number>>[] = [];
  for (const { text, values } of statements) {
    const answer = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, buffers, format json) ${text}`, values);
    const cost = costOf(answer.rows[0]!['QUERY PLAN'][0].Plan);
    rows += cost.rows;
    blocks += cost.blocks;
    sequential.push(cost.sequential);
    if (process.env['TEST_PLANS'] && cost.rows > Number(process.env['TEST_PLANS'])) {
      const plan = await pool.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, values);
      console.log(text, values, plan.rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
  }
  return { rows, blocks, sequential: sumsOf(sequential), statements: statements.length };
};
