/**
 * Connection snippets in the languages that services use. Every value comes from a variable of the secret group, so the snippets contain no
 * secret and work in both environments.
 */

export const snippetKinds = ['psql', 'node', 'java', 'python', 'go'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

export interface Snippet {
  readonly label: string;
  /** Prerequisite, such as a package to install. */
  readonly needs: string;
  readonly code: string;
}

export const snippets: Readonly<Record<SnippetKind, Snippet>> = {
  psql: {
    label: 'psql',
    needs: 'The client of PostgreSQL, in an instance of a service that reads the group.',
    code: `psql "$DB_URL"`,
  },
  node: {
    label: 'Node',
    needs: 'npm install pg',
    code: `import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env.DB_URL, max: 10 });
const { rows } = await pool.query('select now()');`,
  },
  java: {
    label: 'Java',
    needs: 'org.postgresql:postgresql and com.zaxxer:HikariCP',
    code: `HikariConfig config = new HikariConfig();
config.setJdbcUrl("jdbc:postgresql://%s:%s/%s?sslmode=%s".formatted(
    System.getenv("DB_HOST"), System.getenv("DB_PORT"),
    System.getenv("DB_NAME"), System.getenv("DB_SSLMODE")));
config.setUsername(System.getenv("DB_USER"));
config.setPassword(System.getenv("DB_PASSWORD"));
config.setMaximumPoolSize(10);
DataSource source = new HikariDataSource(config);`,
  },
  python: {
    label: 'Python',
    needs: 'pip install "psycopg[binary,pool]"',
    code: `import os
from psycopg_pool import ConnectionPool

pool = ConnectionPool(os.environ["DB_URL"], max_size=10)
with pool.connection() as connection:
    row = connection.execute("select now()").fetchone()`,
  },
  go: {
    label: 'Go',
    needs: 'go get github.com/jackc/pgx/v5',
    code: `config, err := pgxpool.ParseConfig(os.Getenv("DB_URL"))
if err != nil {
	return err
}
config.MaxConns = 10
pool, err := pgxpool.NewWithConfig(ctx, config)`,
  },
};

/** Returns a snippet with the variables of the read-only login, if `isReader`. */
export const snippetFor = (kind: SnippetKind, isReader: boolean): Snippet => {
  const snippet = snippets[kind];
  return isReader ? { ...snippet, code: snippet.code.replaceAll('DB_', 'DB_READ_') } : snippet;
};
