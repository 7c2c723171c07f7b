// A number as the user types it: no thousands separators, no silent clamping. The form reports violated limits.
import { NumberField as Base } from '@base-ui/react/number-field';
import type { ReactNode, Ref } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldControl } from './Field.tsx';
import { Affix, inputClass } from './Input.tsx';
import css from './NumberField.module.css';

export interface NumberFieldProps {
  value: number | null;
  onChange: (value: number | null) => void;
  onBlur?: () => void;
  name?: string;
  ref?: Ref<HTMLInputElement>;
  id?: string;
  unit?: ReactNode;
  /** Limits for the arrow keys. Typing may exceed them, so that the form can report the error. */
  min?: number;
  max?: number;
  step?: number;
  placeholder?: string;
  isReadOnly?: boolean;
  isDisabled?: boolean;
  'aria-label'?: string;
  'aria-describedby'?: string;
}

export function NumberField(props: NumberFieldProps) {
  const { value, onChange, onBlur, name, ref, unit, min, max, step, placeholder, isReadOnly, isDisabled } = props;
  const { id, ...control } = useFieldControl(props);
  return (
    <Base.Root
      id={id}
      value={value}
      onValueChange={(next) => onChange(next)}
      name={name}
      min={min}
      max={max}
      step={step}
      readOnly={isReadOnly}
      disabled={isDisabled}
      allowOutOfRange
      format={{ useGrouping: false, maximumFractionDigits: 6 }}
      locale="en"
    >
      <Affix unit={unit}>
        <Base.Input
          ref={ref}
          {...control}
          aria-label={props['aria-label']}
          onBlur={onBlur}
          placeholder={placeholder}
          className={classNames(inputClass, css.number)}
        />
      </Affix>
    </Base.Root>
  );
}
