/** Filters beside a list, each value with its count. On phones they are behind a button. */
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import type { ReactNode } from 'react';
import css from './Facets.module.css';

export interface Facet {
  legend: string;
  chosen: readonly string[];
  values: readonly { value: string; label: string; tone?: Tone; count: number | string | undefined }[];
  onChange: (chosen: readonly string[]) => void;
}

export interface FacetsProps {
  facets: readonly Facet[];
  isOpenOnPhone: boolean;
  /** Above the facets. */
  children?: ReactNode;
}

const toggled = (values: readonly string[], value: string): readonly string[] =>
  values.includes(value) ? values.filter((item) => item !== value) : [...values, value];

export function Facets({ facets, isOpenOnPhone, children }: FacetsProps) {
  return (
    <aside className={isOpenOnPhone ? css.facets : `${css.facets} only-wide`} aria-label="Filters">
      {children}
      {facets.map(
        ({ legend, chosen, values, onChange }) =>
          values.length > 0 && (
            <fieldset key={legend}>
              <legend className={css.legend}>{legend}</legend>
              {values.map(({ value, label, tone, count }) => (
                <Checkbox
                  key={value}
                  checked={chosen.includes(value)}
                  mark={tone && <StatusIcon tone={tone} />}
                  label={label}
                  count={count}
                  onChange={() => onChange(toggled(chosen, value))}
                />
              ))}
            </fieldset>
          ),
      )}
    </aside>
  );
}
