// Deploys of the last days as bars. Failures are red and have a minimum size, so that they stay visible.
import { cssVars } from '../css-vars.ts';
import css from './DeployHistory.module.css';

export interface DeployDay {
  deploys: number;
  failed: number;
}

const UNIT_PX = 4;
const MAX_UNITS = 5;

export function deployHistoryLabel(days: DeployDay[]): string {
  const deploys = days.reduce((sum, day) => sum + day.deploys, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  return `${deploys} ${deploys === 1 ? 'deploy' : 'deploys'} in ${days.length} ${days.length === 1 ? 'day' : 'days'}${failed > 0 ? `, ${failed} failed` : ''}`;
}

export function DeployHistory({ days }: { days: DeployDay[] }) {
  return (
    <span className={css.tide} role="img" aria-label={deployHistoryLabel(days)}>
      {days.map((day, index) => {
        const units = Math.min(MAX_UNITS, day.failed > 0 ? Math.max(2, day.deploys) : day.deploys);
        return <i key={index} data-failed={day.failed > 0 || undefined} style={cssVars({ '--height': `${units * UNIT_PX}px` })} />;
      })}
    </span>
  );
}
