import { type DynamicModule, Module } from '@nestjs/common';
import { RecordedChain } from './recorded-chain';
import { TRON_OPTIONS, type TronOptions } from './tron-options';
import { TronWatcher } from './tron-watcher';
import { VerifyBlocksController } from './verify-blocks';

/** The composition provides EVENT_STORE, CLOCK and CHAIN globally. The watcher starts and ends with the application. */
@Module({})
export class TronModule {
  static forRoot(options: TronOptions): DynamicModule {
    return {
      module: TronModule,
      controllers: [VerifyBlocksController],
      providers: [{ provide: TRON_OPTIONS, useValue: options }, RecordedChain, TronWatcher],
      exports: [TronWatcher],
    };
  }
}
