/** How many rows and blocks PostgreSQL touches for what somebody asks: every statement of a request is run again under EXPLAIN ANALYZE. */
import type pg from 'pg';

export interface Cost {
  /** Rows that scans gave or threw away, each time they ran. */
  readonly rows: number;
  readonly blocks: number;
}
interface Statement {
  readonly text: string;
  readonly values: unknown[];
}
interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** Notes the reading statements of everything that the pool is asked, while `work` runs. */
const recorded = async (pool: pg.Pool, work: () => Promise<unknown>): Promise<Statement[]> => {
  const statements: Statement[] = [];
  const connect = pool.connect.bind(pool);
  const noted = new Set<pg.PoolClient>();
  const originals = new Map<pg.PoolClient, pg.PoolClient['query']>();
  pool.connect = (async () => {
    const client = await connect();
    if (!noted.has(client)) {
      noted.add(client);
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      originals.set(client, client.query);
      client.query = ((...args: unknown[]) => {
        const [text, values] = args;
        if (typeof text === 'string' && /^\s*(select|with)\b/i.test(text)) statements.push({ text, values: (values as unknown[]) ?? [] });
        return query(...args);
      }) as pg.PoolClient['query'];
    }
    return client;
  }) as pg.Pool['connect'];
  try {
    await work();
  } finally {
    pool.connect = connect as pg.Pool['connect'];
    for (const [client, query] of originals) client.query = query;
  }
  return statements;
};

const costOf = (plan: Plan): Cost => {
  const isScan = plan['Node Type'].includes('Scan') && !/Subquery|CTE|Function|Bitmap Heap/.test(plan['Node Type']);
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const below = (plan.Plans ?? []).map(costOf);
  return {
    rows: (isScan ? own * plan['Actual Loops'] : 0) + below.reduce((sum, { rows }) => sum + rows, 0),
    // A node's blocks hold those of what is below it.
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  };
};

export const readBy = async (pool: pg.Pool, work: () => Promise<unknown>): Promise<Cost & { readonly statements: number }> => {
  const statements = await recorded(pool, work);
  let rows = 0;
  let blocks = 0;
  for (const { text, values } of statements) {
    const answer = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, buffers, format json) ${text}`, values);
    const cost = costOf(answer.rows[0]!['QUERY PLAN'][0].Plan);
    rows += cost.rows;
    blocks += cost.blocks;
    if (process.env['TEST_PLANS'] && cost.rows > Number(process.env['TEST_PLANS'])) {
      const plan = await pool.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${text}`, values);
      console.log(text, values, plan.rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
  }
  return { rows, blocks, statements: statements.length };
};
