/** The filters beside the dashboard, each with its count. On phones they are behind a button. */
import { healthStates, type ApplicationSummaryPage } from '@slipway/contract/application.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import type * as z from 'zod/mini';
import { healthLook } from '#entities/status.ts';
import css from './AppFacets.module.css';
import type { DashboardState } from './dashboard-state.ts';

type Counts = z.infer<typeof ApplicationSummaryPage>['counts'];

export interface AppFacetsProps {
  counts: Counts | undefined;
  state: DashboardState;
  onChange: (patch: Partial<DashboardState>) => void;
  isOpenOnPhone: boolean;
}

const toggled = (values: readonly string[], value: string): readonly string[] =>
  values.includes(value) ? values.filter((item) => item !== value) : [...values, value];

export function AppFacets({ counts, state, onChange, isOpenOnPhone }: AppFacetsProps) {
  const shown = healthStates.filter((health) => (counts?.health[health] ?? 0) > 0 || state.health.includes(health));
  return (
    <aside className={isOpenOnPhone ? css.facets : `${css.facets} only-wide`} aria-label="Filters">
      {shown.length > 0 && (
        <fieldset>
          <legend className={css.legend}>Worst environment</legend>
          {shown.map((health) => (
            <Checkbox
              key={health}
              checked={state.health.includes(health)}
              mark={<StatusIcon tone={healthLook[health].tone} />}
              label={healthLook[health].word}
              count={counts?.health[health] ?? 0}
              onChange={() => onChange({ health: toggled(state.health, health) })}
            />
          ))}
        </fieldset>
      )}
      {(counts?.teams.length ?? 0) > 0 && (
        <fieldset>
          <legend className={css.legend}>Team</legend>
          {counts?.teams.map((team) => (
            <Checkbox
              key={team.id}
              checked={state.team.includes(team.id)}
              label={team.name}
              count={team.count}
              onChange={() => onChange({ team: toggled(state.team, team.id) })}
            />
          ))}
        </fieldset>
      )}
    </aside>
  );
}
