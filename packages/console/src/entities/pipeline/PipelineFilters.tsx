/** Filters of a pipeline list, kept in the URL: state, type, trigger. */
import { pipelineTriggers } from '@slipway/contract/pipeline/pipeline.ts';
import { pipelineTypes } from '@slipway/contract/pipeline/pipeline-types.ts';
import { Select } from '@slipway/ui/form/Select.tsx';
import css from './PipelineFilters.module.css';
import { stateFilters, type PipelineFilter } from './pipeline-filter.ts';
import { pipelineTypeName } from './pipeline-progress.ts';
import { triggerName } from './pipeline-title.ts';

export interface PipelineFiltersProps {
  filter: PipelineFilter;
  onFilter: (patch: Partial<PipelineFilter>) => void;
  types?: readonly string[];
}

/** The select does not support an empty value. */
const any = '*';
const given = (value: string): string => (value === any ? '' : value);

export function PipelineFilters({ filter, onFilter, types = pipelineTypes() }: PipelineFiltersProps) {
  return (
    <>
      <Select
        className={css.select}
        aria-label="State"
        value={filter.show === '' ? any : filter.show}
        onChange={(value) => onFilter({ show: given(value) })}
        options={stateFilters.map(({ value, label }) => ({ value: value === '' ? any : value, label }))}
      />
      <Select
        className={css.select}
        aria-label="What it does"
        value={filter.type === '' ? any : filter.type}
        onChange={(value) => onFilter({ type: given(value) })}
        options={[{ value: any, label: 'All types' }, ...types.map((type) => ({ value: type, label: pipelineTypeName(type) }))]}
      />
      <Select
        className={css.select}
        aria-label="Started by"
        value={filter.trigger === '' ? any : filter.trigger}
        onChange={(value) => onFilter({ trigger: given(value) })}
        options={[
          { value: any, label: 'Any trigger' },
          ...pipelineTriggers.map((trigger) => ({ value: trigger, label: triggerName(trigger) })),
        ]}
      />
    </>
  );
}
