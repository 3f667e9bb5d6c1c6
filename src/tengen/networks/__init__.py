"""Networks: their definition and training in Keras, and the ONNX files that everything else plays with."""
