// The line below a header strip: solid for production, dashed for development, so that nobody edits production by mistake.
// Both environments are discs on the line; a running pipeline appears at its right end.
import type { ReactNode } from 'react';
import { Link } from './Link.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import css from './EnvironmentBar.module.css';

export type Environment = 'production' | 'development';

export interface EnvironmentBarProps {
  environment: Environment;
  /** Links to the same page in the environments that exist. */
  links: { environment: Environment; href: string; label?: string }[];
  /** A PipelineStrip or a muted remark. */
  passing?: ReactNode;
  /** Accessible name of the links, needed if a page has two lines. */
  label?: string;
}

const LABEL: Record<Environment, string> = { production: 'Production', development: 'Development' };
/** Bracket keys that match the position on the line; the app listens for them and follows the link. */
const KEY: Record<Environment, string> = { production: '[', development: ']' };

export function EnvironmentBar({ environment, links, passing, label = 'Environment' }: EnvironmentBarProps) {
  return (
    <div className={css.waterline} data-env={environment} data-passing={passing ? true : undefined}>
      <div className={`wrap ${css.inner}`}>
        <nav className={css.discs} aria-label={label}>
          {links.map((link) => (
            <Link
              key={link.environment}
              href={link.href}
              className={css.disc}
              data-env={link.environment}
              aria-keyshortcuts={KEY[link.environment]}
              aria-current={link.environment === environment ? 'true' : undefined}
            >
              <StatusIcon shape={link.environment === 'production' ? 'load' : 'load-open'} />
              {link.label ?? LABEL[link.environment]}
            </Link>
          ))}
        </nav>
        {passing}
      </div>
    </div>
  );
}
