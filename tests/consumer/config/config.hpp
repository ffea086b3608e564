// A header of the consumer's, with the name of one of Troupe's: nobody may include it by accident.
#error "Troupe's headers include a header of the program"
