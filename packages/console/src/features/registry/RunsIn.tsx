/** The revisions that run an image. Each links to the revision and shows its environment. */
import type * as z from 'zod/mini';
import type { ImageRun } from '@slipway/contract/registry/images.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { paths } from '#entities/paths.ts';
import css from './RunsIn.module.css';

export type Run = z.infer<typeof ImageRun>;

export function EnvironmentDisc({ environment }: { environment: 'production' | 'development' }) {
  return <StatusIcon shape={environment === 'production' ? 'load' : 'load-open'} />;
}

export function RunsIn({ app, runs }: { app: string; runs: readonly Run[] }) {
  const live = runs.filter(({ isLive }) => isLive);
  if (live.length === 0) return <span className="meta">–</span>;
  return (
    <ul className={css.runs}>
      {live.map((run) => (
        <li key={`${run.environment}/${run.revision}`}>
          <EnvironmentDisc environment={run.environment} />
          <Link href={paths.revision({ app, env: run.environment, service: run.service, revision: run.revision })} title={run.revision}>
            <span className="sr">{run.environment}, </span>
            Revision {run.number}
          </Link>
        </li>
      ))}
    </ul>
  );
}
