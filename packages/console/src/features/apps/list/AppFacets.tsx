/** The filters beside the dashboard. */
import { healthStates, type ApplicationSummaryPage } from '@slipway/contract/application.ts';
import type * as z from 'zod/mini';
import { healthLook } from '#entities/status.ts';
import { Facets } from '#kit/list/Facets.tsx';
import type { DashboardState } from './dashboard-state.ts';

type Counts = z.infer<typeof ApplicationSummaryPage>['counts'];

export interface AppFacetsProps {
  counts: Counts | undefined;
  state: DashboardState;
  onChange: (patch: Partial<DashboardState>) => void;
  isOpenOnPhone: boolean;
}

export function AppFacets({ counts, state, onChange, isOpenOnPhone }: AppFacetsProps) {
  const shown = healthStates.filter((health) => (counts?.health[health] ?? 0) > 0 || state.health.includes(health));
  return (
    <Facets
      isOpenOnPhone={isOpenOnPhone}
      facets={[
        {
          legend: 'Worst environment',
          chosen: state.health,
          values: shown.map((value) => ({
            value,
            label: healthLook[value].word,
            tone: healthLook[value].tone,
            count: counts?.health[value] ?? 0,
          })),
          onChange: (health) => onChange({ health }),
        },
        {
          legend: 'Team',
          chosen: state.team,
          values: (counts?.teams ?? []).map(({ id, name, count }) => ({ value: id, label: name, count })),
          onChange: (team) => onChange({ team }),
        },
      ]}
    />
  );
}
