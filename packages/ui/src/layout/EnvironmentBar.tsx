// The line under a header strip: solid for production, dashed for development, so that nobody edits production by mistake.
// Both environments sit on it as discs; what happens now passes along it at the right.
import type { ReactNode } from 'react';
import { Link } from './Link.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import css from './EnvironmentBar.module.css';

export type Environment = 'production' | 'development';

export interface EnvironmentBarProps {
  environment: Environment;
  /** Links to the same page in the environments that exist. */
  links: { environment: Environment; href: string; label?: string }[];
  /** A Passing, or a quiet remark. */
  passing?: ReactNode;
  /** Name of the links, should a page have two lines. */
  label?: string;
}

const LABEL: Record<Environment, string> = { production: 'Production', development: 'Development' };
/** The brackets point the way along the line; the app listens for them and follows the link. */
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
