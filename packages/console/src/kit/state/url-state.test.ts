import { describe, expect, test } from 'vitest';
import { parseUrlState, urlSearch } from './url-state.ts';

const defaults = { query: '', page: 0, sort: 'urgency', team: [] as readonly string[] };
const of = (text: string): URLSearchParams => new URLSearchParams(text);

describe('parseUrlState', () => {
  test('takes defaults for what is missing or nonsense', () => {
    expect(parseUrlState(of(''), defaults)).toEqual(defaults);
    expect(parseUrlState(of('page=-1&query=x'), defaults)).toEqual({ ...defaults, query: 'x' });
    expect(parseUrlState(of('page=2.5'), defaults).page).toBe(0);
  });
  test('lists are repeated parameters', () => {
    expect(parseUrlState(of('team=a&team=b'), defaults).team).toEqual(['a', 'b']);
  });
});

describe('urlSearch', () => {
  test('leaves defaults out and other parameters in', () => {
    expect(urlSearch(of('tab=x&query=y'), defaults, { query: '' })).toBe('?tab=x');
    expect(urlSearch(of(''), defaults, {})).toBe('');
  });
  test('any change but the page goes back to the first page', () => {
    expect(urlSearch(of('page=3'), defaults, { query: 'a' })).toBe('?query=a');
    expect(urlSearch(of('query=a'), defaults, { page: 2 })).toBe('?query=a&page=2');
  });
  test('a list is written item by item', () => {
    expect(urlSearch(of(''), defaults, { team: ['a', 'b'] })).toBe('?team=a&team=b');
  });
});
