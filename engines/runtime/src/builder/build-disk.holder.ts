/** Test program: keeps a build's disk mounted until it is killed. Argument: the build's directory. Prints the keeper's pid. */
import { execFileSync } from 'node:child_process';
import { findDiskTools, BuildDisk } from './build-disk.ts';

const directory = process.argv[2] ?? '';
const tools = await findDiskTools(directory);
if (tools === undefined) process.stdout.write('none\n');
else {
  await BuildDisk.open(tools, directory, { bytes: 1_000_000, files: 10 });
  const children = execFileSync('/bin/sh', ['-c', `cat /proc/${process.pid}/task/${process.pid}/children`], { encoding: 'utf8' });
  process.stdout.write(`${children.trim().split(' ')[0]}\n`);
}
