// A choice that needs a sentence each: cards with a radio.
import type { ReactNode } from 'react';
import { useId } from 'react';
import css from './RadioCards.module.css';
import { Tag } from './Tag.tsx';

export interface RadioCard<Value extends string> {
  value: Value;
  label: ReactNode;
  tag?: string;
  note?: ReactNode;
  disabledReason?: string;
}

export interface RadioCardsProps<Value extends string> {
  legend: ReactNode;
  isLegendHidden?: boolean;
  options: RadioCard<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  onBlur?: () => void;
  name?: string;
  error?: ReactNode;
}

export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { legend, isLegendHidden = false, options, value, onChange, onBlur, error } = props;
  const ownName = useId();
  const name = props.name ?? ownName;
  return (
    <fieldset aria-describedby={error ? `${ownName}-error` : undefined}>
      <legend className={isLegendHidden ? 'sr' : css.legend}>{legend}</legend>
      <div className={css.choices}>
        {options.map((option) => (
          <label key={option.value} className={css.choice}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              disabled={option.disabledReason !== undefined}
              onChange={() => onChange(option.value)}
              onBlur={onBlur}
            />
            <b className={css.name}>{option.label}</b>
            {option.tag !== undefined && <Tag>{option.tag}</Tag>}
            {(option.disabledReason ?? option.note) !== undefined && (
              <small className={css.note}>{option.disabledReason ?? option.note}</small>
            )}
          </label>
        ))}
      </div>
      {error !== undefined && (
        <p className={css.error} id={`${ownName}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
