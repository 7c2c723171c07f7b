// A choice whose options need a sentence each: cards with a radio button.
import type { ReactNode } from 'react';
import { useId } from 'react';
import { classNames } from '../class-names.ts';
import { Was } from './Field.tsx';
import css from './RadioCards.module.css';
import { Tag } from '../feedback/Tag.tsx';

export interface RadioCard<Value extends string> {
  value: Value;
  label: ReactNode;
  tag?: string;
  note?: ReactNode;
  disabledReason?: string;
  /** Small drawing above the text, as wide as the card. */
  picture?: ReactNode;
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
  /** The previous choice, with a button to restore it. */
  was?: ReactNode;
  onPutBack?: () => void;
  /** Places cards side by side if there is room. */
  isRow?: boolean;
  isReadOnly?: boolean;
}

export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { legend, isLegendHidden = false, options, value, onChange, onBlur, error, was, isRow = false, isReadOnly = false } = props;
  const ownName = useId();
  const name = props.name ?? ownName;
  return (
    <fieldset aria-describedby={classNames(Boolean(error) && `${ownName}-error`, was !== undefined && `${ownName}-was`)}>
      <legend className={isLegendHidden ? 'sr' : css.legend}>{legend}</legend>
      <div className={classNames(css.choices, isRow && css.inRow)}>
        {options.map((option) => (
          <label key={option.value} className={css.choice}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              disabled={option.disabledReason !== undefined || (isReadOnly && option.value !== value)}
              onChange={() => onChange(option.value)}
              onBlur={onBlur}
            />
            {option.picture !== undefined && <span className={css.picture}>{option.picture}</span>}
            <b className={css.name}>{option.label}</b>
            {option.tag !== undefined && <Tag>{option.tag}</Tag>}
            {(option.disabledReason ?? option.note) !== undefined && (
              <small className={css.note}>{option.disabledReason ?? option.note}</small>
            )}
          </label>
        ))}
      </div>
      {was !== undefined && (
        <Was id={`${ownName}-was`} label={legend} onPutBack={props.onPutBack}>
          {was}
        </Was>
      )}
      {error !== undefined && (
        <p className={css.error} id={`${ownName}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
