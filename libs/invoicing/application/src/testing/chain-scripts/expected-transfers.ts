import { formatUsdt } from '@florin/kernel';
import { type SimBlock, simulatedContract, transferTopic } from '@florin/tron-simulator';
import { TronWeb } from 'tronweb';

/** A transfer that must be recorded. */
export interface ExpectedTransfer {
  readonly transactionId: string;
  readonly logIndex: number;
  readonly to: string;
  readonly amount: string;
  readonly blockNumber: number;
  readonly blockTime: string;
}

const wordPattern = /^[0-9a-f]{64}$/;

/** The transfers to these addresses in final blocks, read from the simulator with other code than that under test. */
export function expectedTransfers(
  blocks: readonly SimBlock[],
  addresses: readonly string[],
): readonly ExpectedTransfer[] {
  return blocks.flatMap(({ number: blockNumber, time: blockTime, transactions }) =>
    transactions.flatMap(({ id: transactionId, blockOutcome, infoOutcome, logs }) =>
      logs.flatMap(({ address, topics, data }, logIndex) => {
        const [topic, , to] = topics;
        const isTransfer = topic === transferTopic && topics.length === 3 && wordPattern.test(data);
        const isOurToken = base58(address) === simulatedContract;
        if (blockOutcome !== 'SUCCESS' || infoOutcome !== 'SUCCESS' || !isTransfer || !isOurToken) return [];
        const recipient = base58(to?.slice(24) ?? '');
        const amount = BigInt(`0x${data}`);
        if (amount === 0n || !addresses.includes(recipient)) return [];
        return [{ transactionId, logIndex, to: recipient, amount: formatUsdt(amount), blockNumber, blockTime }];
      }),
    ),
  );
}

function base58(account: string): string {
  return TronWeb.address.fromHex(`41${account}`);
}
