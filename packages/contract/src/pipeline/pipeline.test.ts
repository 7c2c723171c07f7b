import { expect, test } from 'vitest';
import {
  isActive,
  pipelineCancelRule,
  pipelineFailureTitle,
  pipelineRerunRule,
  pipelineStates,
  type PipelineStep,
  type StepState,
} from './pipeline.ts';
import { accessRule, memberRule, ownerRule, type Actor } from '../kernel/rights.ts';
import { revisionDeleteRule } from '../service/revision.ts';

const step = (state: StepState, isPointOfNoReturn = false): PipelineStep => ({
  name: 'Start instances',
  code: 'StartInstances',
  state,
  message: null,
  startedAt: null,
  endedAt: null,
  usualMs: null,
  isPointOfNoReturn,
});

test.each(pipelineStates.map((state) => [state]))('%s: cancel while it is active, re-run when it ended badly', (state) => {
  const run = { status: { state, steps: [step('RUNNING')] } };
  expect(pipelineCancelRule(run)).toBe(isActive(state) ? true : 'PipelineUncancellableState');
  expect(pipelineRerunRule(run)).toBe(state === 'FAILED' || state === 'CANCELED' ? true : 'PipelineNotFailed');
});

test('the point of no return ends the right to cancel once it has begun', () => {
  expect(pipelineCancelRule({ status: { state: 'RUNNING', steps: [step('COMPLETED'), step('PENDING', true)] } })).toBe(true);
  for (const state of ['RUNNING', 'COMPLETED', 'FAILED'] as const) {
    expect(pipelineCancelRule({ status: { state: 'RUNNING', steps: [step(state, true)] } })).toBe('PipelineUncancellableState');
  }
});

test("the failure's title names the running step, else the first failed one, else none", () => {
  const named = (name: string, state: StepState) => ({ ...step(state), name });
  expect(pipelineFailureTitle({ status: { steps: [named('One', 'FAILED'), named('Two', 'RUNNING')] } })).toBe('Pipeline step "Two" failed');
  expect(pipelineFailureTitle({ status: { steps: [named('One', 'FAILED'), named('Two', 'FAILED')] } })).toBe('Pipeline step "One" failed');
  expect(pipelineFailureTitle(undefined)).toBe('Pipeline failed');
});

const actor = (memberOf: string[], ownerOf: string[] = [], isAdministrator = false): Actor => ({
  id: 'a',
  isAdministrator,
  memberOf: new Set(memberOf),
  ownerOf: new Set(ownerOf),
});

test('members, owners, strangers and administrators', () => {
  expect(memberRule(actor(['cranes']), 'cranes')).toBe(true);
  expect(memberRule(actor(['customs']), 'cranes')).toBe('NotAMember');
  expect(ownerRule(actor(['cranes']), 'cranes')).toBe('NotAnOwner');
  expect(ownerRule(actor(['cranes'], ['cranes']), 'cranes')).toBe(true);
  expect(ownerRule(actor([], [], true), 'cranes')).toBe(true);
  expect(accessRule('signedIn', undefined, undefined)).toBe('NotSignedIn');
  expect(accessRule('public', undefined, undefined)).toBe(true);
});

test('a revision that serves, or is going, is not deleted', () => {
  const facts = {
    status: 'HEALTHY',
    isServing: false,
    isDeleting: false,
    isBusy: false,
    isServiceActive: true,
    isServiceCreated: true,
  } as const;
  expect(revisionDeleteRule(facts)).toBe(true);
  expect(revisionDeleteRule({ ...facts, isServing: true })).toBe('RevisionIsServing');
  expect(revisionDeleteRule({ ...facts, isDeleting: true })).toBe('RevisionBeingDeleted');
  expect(revisionDeleteRule({ ...facts, status: 'DELETED' })).toBe('RevisionBeingDeleted');
});
